#include <mpi.h>

// Each block is worked with before the next one is sent: there is room for one.
double multiply(const double *mine, double *block, double *sum, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int r = 0; r < size; r++) {
    if (r == rank)
      for (int i = 0; i < n; i++)
        block[i] = mine[i];
    MPI_Bcast(block, n, MPI_DOUBLE, r, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
      sum[i] += block[i] * mine[(i + r) % n];
  }
  return sum[0];
}

// What the next root sends depends on what has come from the one before.
void eliminate(double *rows, int n) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int r = 0; r < size; r++) {
    MPI_Bcast(rows + r * n, n, MPI_DOUBLE, r, MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
      rows[rank * n + i] -= rows[r * n + i] * 0.5;
  }
}
