// Without the barrier fast ranks would flood rank 0 with rounds that it has not come to yet.
#include <mpi.h>

void collect(double *sums, double value, int rounds, int rank, int size, MPI_Comm comm) {
  for (int round = 0; round < rounds; round++) {
    if (rank == 0) {
      sums[round] = value;
      for (int source = 1; source < size; source++) {
        double part;
        // expect: mpi-handmade-collective medium
        MPI_Recv(&part, 1, MPI_DOUBLE, source, 0, comm, MPI_STATUS_IGNORE);
        sums[round] += part;
      }
    } else {
      MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, comm);
    }
    MPI_Barrier(comm);
  }
}
