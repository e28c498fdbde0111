// Rows that decay on the way are no sum, and those of which another row is sent are not all of one.
#include <mpi.h>

extern int south, north;

void decay(double *restrict psi, const double *restrict flow, long n, long rows) {
  if (south != MPI_PROC_NULL)
    MPI_Recv(psi, (int)n, MPI_DOUBLE, south, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long j = 1; j <= rows; j++)
    for (long i = 0; i < n; i++)
      psi[j * n + i] = 0.9 * psi[(j - 1) * n + i] - 0.5 * flow[j * n + i];
  if (north != MPI_PROC_NULL)
    MPI_Send(psi + rows * n, (int)n, MPI_DOUBLE, north, 77, MPI_COMM_WORLD);
}

void damped(double *restrict psi, long n, long rows) {
  if (south != MPI_PROC_NULL)
    MPI_Recv(psi, (int)n, MPI_DOUBLE, south, 78, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long j = 1; j <= rows; j++)
    for (long i = 0; i < n; i++)
      psi[j * n + i] = psi[(j - 1) * n + i] + 0.5 * psi[(j - 1) * n + i];
  if (north != MPI_PROC_NULL)
    MPI_Send(psi + rows * n, (int)n, MPI_DOUBLE, north, 78, MPI_COMM_WORLD);
}

void beside(double *restrict psi, long n, long rows) {
  if (south != MPI_PROC_NULL)
    MPI_Recv(psi, (int)n, MPI_DOUBLE, south, 79, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long j = 1; j <= rows; j++)
    for (long i = 0; i < n; i++)
      psi[j * n + i] = psi[(j - 1) * n + i] + 0.5 * psi[(j - 1) * n + i + 1];
  if (north != MPI_PROC_NULL)
    MPI_Send(psi + rows * n, (int)n, MPI_DOUBLE, north, 79, MPI_COMM_WORLD);
}

void divided(double *restrict psi, const double *restrict flow, long n, long rows) {
  if (south != MPI_PROC_NULL)
    MPI_Recv(psi, (int)n, MPI_DOUBLE, south, 80, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (long j = 1; j <= rows; j++)
    for (long i = 0; i < n; i++)
      psi[j * n + i] = psi[(j - 1) * n + i] / flow[j * n + i];
  if (north != MPI_PROC_NULL)
    MPI_Send(psi + rows * n, (int)n, MPI_DOUBLE, north, 80, MPI_COMM_WORLD);
}
