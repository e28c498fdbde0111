// In one of ten steps the barrier costs little.
#include <mpi.h>

double advance(double *u, int n, int steps, int left, int right) {
  double all = 0;
  for (int step = 0; step < steps; step++) {
    MPI_Sendrecv(u + 1, 1, MPI_DOUBLE, left, 0, u + n - 1, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i < n - 1; i++)
      u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    if (step % 10 == 0) {
      double here = 0;
      for (int i = 1; i < n - 1; i++)
        here += u[i];
      MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      for (int i = 1; i < n - 1; i++)
        u[i] -= all / n;
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  return all;
}
