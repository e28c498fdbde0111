// Root gathers while the others reduce.
#include <mpi.h>

void collect(double *all, const double *mine, int n, int root, MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == root)
    // expect: mpi-rank-guarded-collective high "call MPI_Reduce instead, and the program hangs" "one rank alone calls"
    MPI_Gather(mine, n, MPI_DOUBLE, all, n, MPI_DOUBLE, root, comm);
  else
    MPI_Reduce(mine, all, n, MPI_DOUBLE, MPI_SUM, root, comm);
}
