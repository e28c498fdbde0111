// Barriers in each step that only let the ranks start a clock together: the step waits for the slowest one.
#include <mpi.h>
#include <stdio.h>

static double begun[8], spent[8];
static int calls[8];

static void start(int phase) { begun[phase] = MPI_Wtime(); }

static void stop(int phase) {
  spent[phase] += MPI_Wtime() - begun[phase];
  calls[phase]++;
}

static void exchange(double *u, int n, int left, int right) {
  MPI_Sendrecv(&u[n], 1, MPI_DOUBLE, right, 0, &u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 1, &u[n + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void advance(double *u, double *next, int n, int steps, int left, int right) {
  for (int step = 0; step < steps; step++) {
    start(0);
    exchange(u, n, left, right);
    stop(0);
    calls[7] = step;
    // expect: mpi-redundant-barrier medium "beside a clock" "take the time without the barrier"
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i <= n; i++)
      next[i] = 0.5 * (u[i - 1] + u[i + 1]);
    for (int i = 1; i <= n; i++)
      u[i] = next[i];
  }
}

void smooth(double *u, double *next, int n, int steps, int left, int right) {
  for (int step = 0; step < steps; step++) {
    exchange(u, n, left, right);
    for (int i = 1; i <= n; i++)
      next[i] = 0.5 * (u[i - 1] + u[i]);
    // expect: mpi-redundant-barrier medium "beside a clock"
    MPI_Barrier(MPI_COMM_WORLD);
    start(1);
    for (int i = 1; i <= n; i++)
      u[i] = next[i];
    stop(1);
  }
}

// Output further away is no reason; what the ranks do first behind the clock, or last before it, would be one.
void report(double *u, double *next, int n, int steps, int left, int right, int rank) {
  for (int step = 0; step < steps; step++) {
    for (int i = 1; i <= n; i++)
      next[i] = 0.25 * (u[i - 1] + 2.0 * u[i] + u[i + 1]);
    // expect: mpi-redundant-barrier medium "unless it orders files"
    MPI_Barrier(MPI_COMM_WORLD);
    start(2);
    exchange(next, n, left, right);
    stop(2);
    for (int i = 1; i <= n; i++)
      u[i] = next[i];
    printf("rank %d: step %d begins with %g\n", rank, step, u[1]);
    for (int i = 1; i <= n; i++)
      u[i] *= 0.999;
  }
}

// What is not timed is but a message.
void stretch(double *u, int n, int steps, int left, int right) {
  for (int step = 0; step < steps; step++) {
    exchange(u, n, left, right);
    // expect: mpi-redundant-barrier medium "beside a clock"
    MPI_Barrier(MPI_COMM_WORLD);
    start(3);
    for (int i = 1; i <= n; i++)
      u[i] *= 1.5;
    stop(3);
  }
}
