// One block to one rank, under two tags.
#include <mpi.h>

void publish(const double *restrict block, double *restrict result, int n, int target, MPI_Comm comm) {
  MPI_Send(block, n, MPI_DOUBLE, target, 1, comm);
  for (int i = 0; i < n; i++)
    result[i] = 2.0 * block[i];
  // expect: mpi-duplicate-exchange medium "MPI_Send" "sends"
  MPI_Send(block, n, MPI_DOUBLE, target, 2, comm);
  MPI_Send(result, n, MPI_DOUBLE, target, 3, comm);
}
