// In one of ten steps the barrier costs little.
#include <mpi.h>

void advance(double *u, int n, int steps, int left, int right) {
  for (int step = 0; step < steps; step++) {
    MPI_Sendrecv(u + 1, 1, MPI_DOUBLE, left, 0, u + n - 1, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i < n - 1; i++)
      u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    if (step % 10 == 0)
      MPI_Barrier(MPI_COMM_WORLD);
  }
}
