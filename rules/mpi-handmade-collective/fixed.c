// Rank 0 hands out the coefficients and its blocks of the vector, and the partial sums are added up, by collective calls.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define COEFFICIENTS 64
#define BLOCK 5000

static double collect(double part) {
  double sum = 0.0;
  MPI_Reduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  return sum;
}

// A shift along the ranks: one neighbour each, nothing that a collective call would do.
static double shift(double value, int rank, int size) {
  double from = 0.0;
  MPI_Sendrecv(&value, 1, MPI_DOUBLE, (rank + 1) % size, 3, &from, 1, MPI_DOUBLE, (rank + size - 1) % size, 3,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return from;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double c[COEFFICIENTS], *mine = malloc(sizeof(double) * BLOCK), *all = NULL;
  if (rank == 0) {
    all = malloc(sizeof(double) * BLOCK * (size_t)size);
    for (int i = 0; i < BLOCK * size; i++)
      all[i] = i % 17;
    for (int i = 0; i < COEFFICIENTS; i++)
      c[i] = 1.0 / (i + 1);
  }
  MPI_Bcast(c, COEFFICIENTS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Scatter(all, BLOCK, MPI_DOUBLE, mine, BLOCK, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  double part = 0.0;
  for (int i = 0; i < BLOCK; i++)
    part += mine[i] * c[i % COEFFICIENTS];
  part += 0.0 * shift(part, rank, size);
  double sum = collect(part);
  if (rank == 0)
    printf("%.6f\n", sum);
  free(mine);
  free(all);
  MPI_Finalize();
  return 0;
}
