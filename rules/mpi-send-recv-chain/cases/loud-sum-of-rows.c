// Each row is the one before it and a part of the rank's own, and so from rank to rank: a sum that MPI_Exscan does.
#include <mpi.h>

extern int south, north;

void stream(double *restrict psi, const double *restrict flow, long n, long rows) {
  if (south != MPI_PROC_NULL)
    MPI_Recv(psi, (int)n, MPI_DOUBLE, south, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long j = 1; j <= rows; j++)
    for (long i = 0; i < n; i++)
      psi[j * n + i] = psi[(j - 1) * n + i] - 0.5 * flow[j * n + i];
  if (north != MPI_PROC_NULL)
    // expect: mpi-send-recv-chain medium "what they add up goes from rank to rank" "MPI_Exscan"
    MPI_Send(psi + rows * n, (int)n, MPI_DOUBLE, north, 77, MPI_COMM_WORLD);
}
