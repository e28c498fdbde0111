#include <mpi.h>
#include <stdio.h>

// While one rank has its turn, the others are in another call.
void print_in_turn(double *x, int n, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int p = 0; p < size; p++) {
    MPI_Barrier(comm);
    if (p == rank) {
      printf("%d: %g\n", rank, x[0]);
      // expect: mpi-rank-guarded-collective high "one rank alone calls MPI_Bcast"
      MPI_Bcast(x, n, MPI_DOUBLE, 0, comm);
    }
  }
}
