// Root and the others make the same calls in the same order, in their own words.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int read_count(const char *name) {
  int count = 0;
  FILE *in = fopen(name, "r");
  if (!in)
    MPI_Abort(MPI_COMM_WORLD, 1);
  else if (fscanf(in, "%d", &count) != 1)
    MPI_Abort(MPI_COMM_WORLD, 2);
  if (in)
    fclose(in);
  return count;
}

double *load(const char *name, int *count) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double *values;
  if (rank == 0) {
    *count = read_count(name);
    MPI_Bcast(count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    values = malloc(sizeof(double) * *count);
    for (int i = 0; i < *count; i++)
      values[i] = i;
    MPI_Bcast(values, *count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  } else {
    MPI_Bcast(count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    values = malloc(sizeof(double) * *count);
    MPI_Bcast(values, *count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
  return values;
}
