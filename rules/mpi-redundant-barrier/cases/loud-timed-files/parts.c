#include <mpi.h>
#include <time.h>

double spent_in_exchange;

double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void relax(double *u, int n) {
  for (int i = 1; i < n - 1; i++)
    u[i] = 0.5 * (u[i - 1] + u[i + 1]);
}

void exchange(double *u, int n, int left, int right) {
  const double begin = seconds();
  MPI_Sendrecv(&u[n - 2], 1, MPI_DOUBLE, right, 0, &u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 1, &u[n - 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  spent_in_exchange += seconds() - begin;
}
