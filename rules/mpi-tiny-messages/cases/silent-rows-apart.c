// Planes of any length that lie apart, rows that go to other ranks, or that are made one by one.
#include <mpi.h>
#include <stddef.h>

void planes_apart(const double *a, int n, int m, int planes, int target) {
  for (int i = 0; i < planes; i += 4)
    MPI_Send(a + (size_t)i * n * m, n * m, MPI_DOUBLE, target, 0, MPI_COMM_WORLD);
}

void in_turn(const double *a, int n, int rows, int *owner) {
  for (int i = 0; i < rows; i++)
    MPI_Send(a + (size_t)i * n, n, MPI_DOUBLE, owner[i], 0, MPI_COMM_WORLD);
}

void as_made(double *a, int n, int rows, int target) {
  for (int i = 0; i < rows; i++) {
    for (int j = 1; j < n; j++)
      a[(size_t)i * n + j] += 0.5 * a[(size_t)i * n + j - 1];
    MPI_Send(a + (size_t)i * n, n, MPI_DOUBLE, target, 0, MPI_COMM_WORLD);
  }
}
