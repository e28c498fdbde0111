// Each rank holds its part of the field.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double *field_of(long cells) { return calloc((size_t)cells, sizeof(double)); }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long cells = argc > 1 ? atol(argv[1]) : 2L << 20, own = cells / size, first = own * rank;
  double *field = field_of(own), *next = malloc((size_t)own * sizeof *next), sum = 0, total = 0;
  for (long i = 0; i < own; i++)
    field[i] = 1.0 / (double)(first + i + 1);
  for (long i = 0; i < own; i++)
    next[i] = 2 * field[i];
  for (long i = 0; i < own; i++)
    sum += next[i];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f\n", total);
  free(next);
  free(field);
  MPI_Finalize();
  return 0;
}
