// Functions that time themselves are no reason for a barrier behind the work of a step: no clock is next to it.
#include <mpi.h>
#include <string.h>

static double seconds_of_exchange;

static void exchange(double *u, int n, int left, int right) {
  const double begin = MPI_Wtime();
  MPI_Sendrecv(&u[n], 1, MPI_DOUBLE, right, 0, &u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 1, &u[n + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  seconds_of_exchange += MPI_Wtime() - begin;
}

void advance(double *u, double *next, int n, int steps, int left, int right) {
  for (int step = 0; step < steps; step++) {
    for (int i = 1; i <= n; i++)
      next[i] = 0.5 * (u[i - 1] + u[i + 1]);
    exchange(next, n, left, right);
    for (int i = 1; i <= n; i++)
      u[i] = next[i];
    // expect: mpi-redundant-barrier medium "in the loop at line 15"
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// A clock behind a loop that may be empty is not next to it either.
double relax(double *u, double *next, int n, int levels, int left, int right) {
  double spent = 0.0;
  for (int level = 0; level < levels; level++) {
    exchange(u, n, left, right);
    for (int i = 1; i <= n; i++)
      next[i] = 0.5 * (u[i - 1] + u[i + 1]);
    // expect: mpi-redundant-barrier medium "in the loop at line 29"
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i <= n; i++)
      next[i] += 0.25 * u[i];
    const double begin = MPI_Wtime();
    for (int i = 1; i <= n; i++)
      u[i] = next[i];
    spent += MPI_Wtime() - begin;
  }
  return spent;
}

// Nor is one behind a loop of known length, or a copy.
double smooth(double *u, double *next, int n, int steps, int left, int right) {
  double spent = 0.0;
  for (int step = 0; step < steps; step++) {
    exchange(u, n, left, right);
    memcpy(next, u, sizeof *u * (size_t)n);
    // expect: mpi-redundant-barrier medium "in the loop at line 48"
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i <= 64; i++)
      next[i] += 0.25 * u[i];
    const double begin = MPI_Wtime();
    for (int i = 1; i <= n; i++)
      u[i] = next[i];
    spent += MPI_Wtime() - begin;
  }
  return spent;
}
