#include <mpi.h>
#include <stdio.h>
#include <time.h>

double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void relax(double *u, int n) {
  for (int i = 1; i < n - 1; i++)
    u[i] = 0.5 * (u[i - 1] + u[i + 1]);
}

static FILE *open_part(int part, int step, const char *mode) {
  char name[64];
  snprintf(name, sizeof name, "part-%d-%d.raw", part, step);
  return fopen(name, mode);
}

void write_part(const double *u, int n, int step) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FILE *out = open_part(rank, step, "wb");
  if (out == NULL)
    return;
  fwrite(u, sizeof *u, (size_t)n, out);
  fclose(out);
}

void read_parts(double *u, int n, int step) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int part = 0; part < size; part++) {
    FILE *in = open_part(part, step, "rb");
    if (in == NULL)
      continue;
    if (fread(u, sizeof *u, (size_t)n, in) != (size_t)n)
      u[0] = 0.0;
    fclose(in);
  }
}

void collect(double *u, int n) {
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int k = 1; k < size; k++)
    MPI_Recv(u, n, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void deliver(const double *u, int n) { MPI_Send(u, n, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD); }
