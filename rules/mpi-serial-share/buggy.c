// Each rank computes the weights of all cells, and uses those of its own.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void make_weights(double *weights, long first, long count) {
  for (long i = 0; i < count; i++)
    weights[i] = 1.0 / (double)(first + i + 1);
}

void weigh(const double *weights, double *values, long count, int steps) {
  for (int step = 0; step < steps; step++)
    for (long i = 0; i < count; i++)
      values[i] *= weights[i];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const long cells = argc > 1 ? atol(argv[1]) : 120960, own = cells / size, first = own * rank;
  double *weights = malloc((size_t)cells * sizeof *weights), *values = malloc((size_t)own * sizeof *values), total = 0;
  for (long i = 0; i < own; i++)
    values[i] = 1.0;
  make_weights(weights, 0, cells);
  weigh(weights + first, values, own, 10);
  double sum = own > 0 ? values[own / 2] : 0;
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6g\n", total);
  free(values);
  free(weights);
  MPI_Finalize();
  return 0;
}
