#include "parts.h"
#include <stdio.h>
#include <time.h>

double spent_in_shift;

double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double together(void) {
  // expect: mpi-redundant-barrier medium "beside a clock"
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

void relax(double *u, int n) {
  for (int i = 1; i < n - 1; i++)
    u[i] = 0.5 * (u[i - 1] + u[i + 1]);
}

void exchange(double *u, int n, int left, int right) {
  MPI_Sendrecv(&u[n - 2], 1, MPI_DOUBLE, right, 0, &u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void shift(double *u, int n, int left, int right) {
  // expect: mpi-redundant-barrier medium "beside a clock"
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = seconds();
  MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 1, &u[n - 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  spent_in_shift += seconds() - begin;
}

void save(const double *u, int n) {
  FILE *out = fopen("state.raw", "wb");
  if (out == NULL)
    return;
  fwrite(u, sizeof *u, (size_t)n, out);
  fclose(out);
}
