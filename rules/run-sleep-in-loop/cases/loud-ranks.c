// One rank naps, the others wait for it in the next exchange.
#include <mpi.h>
#include <unistd.h>

double relax(double *u, int n, int left, int right, double tolerance) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double residual = 1.0;
  while (residual > tolerance) {
    MPI_Sendrecv(&u[n - 2], 1, MPI_DOUBLE, right, 0, &u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double mine = 0.0;
    for (int i = 1; i < n - 1; i++) {
      double d = 0.5 * (u[i - 1] + u[i + 1]) - u[i];
      u[i] += d;
      mine += d * d;
    }
    MPI_Allreduce(&mine, &residual, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
      // expect: run-sleep-in-loop high "'residual'" "usleep"
      usleep(1000);
  }
  return residual;
}
