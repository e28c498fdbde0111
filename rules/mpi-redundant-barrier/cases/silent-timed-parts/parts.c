#include "parts.h"
#include <stdio.h>
#include <time.h>

double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double together(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

void relax(double *u, int n) {
  for (int i = 1; i < n - 1; i++)
    u[i] = 0.5 * (u[i - 1] + u[i + 1]);
}

void exchange(double *u, int n, int left, int right) {
  MPI_Sendrecv(&u[n - 2], 1, MPI_DOUBLE, right, 0, &u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 1, &u[n - 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void save(const double *u, int n) {
  FILE *out = fopen("state.raw", "wb");
  if (out == NULL)
    return;
  fwrite(u, sizeof *u, (size_t)n, out);
  fclose(out);
}

double largest(double mine) {
  double most;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

void load(double *u, int n) {
  FILE *in = fopen("forcing.raw", "rb");
  if (in == NULL)
    return;
  if (fread(u, sizeof *u, (size_t)n, in) != (size_t)n)
    u[0] = 0.0;
  fclose(in);
}
