// What goes from rank to rank: an array to which each adds its own, and one that all are to have.
#include <mpi.h>
#include <stdlib.h>

void sums_upwards(double *x, int n, int rank, int size) {
  double *below = malloc(n * sizeof(double));
  if (rank > 0) {
    MPI_Recv(below, n, MPI_DOUBLE, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
      x[i] += below[i];
  }
  if (rank < size - 1)
    // expect: mpi-send-recv-chain medium "what they add up goes from rank to rank" "MPI_Scan"
    MPI_Send(x, n, MPI_DOUBLE, rank + 1, 3, MPI_COMM_WORLD);
  free(below);
}

static void to_all(double *potential, int n, int rank, int size) {
  if (rank > 0)
    MPI_Recv(potential, n, MPI_DOUBLE, rank - 1, 12, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank < size - 1)
    // expect: mpi-send-recv-chain medium "what the first one has goes from rank to rank" "MPI_Bcast"
    MPI_Send(potential, n, MPI_DOUBLE, rank + 1, 12, MPI_COMM_WORLD);
}

void iterate(double *potential, double *density, int n, int rank, int size, int steps) {
  for (int step = 0; step < steps; step++) {
    if (rank == 0)
      for (int i = 0; i < n; i++)
        potential[i] = 0.5 * (potential[i] + density[i]);
    to_all(potential, n, rank, size);
    MPI_Allreduce(potential, density, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}
