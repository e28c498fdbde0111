// Rows that the iteration before has written, behind its message or by receiving it, and planes of any size.
#include <mpi.h>
#include <stddef.h>

void relax_next(double *a, int n, int rows, int target) {
  for (int i = 0; i < rows; i++) {
    MPI_Send(a + (size_t)i * n, n, MPI_DOUBLE, target, 0, MPI_COMM_WORLD);
    for (int j = 0; j < n; j++)
      a[(size_t)(i + 1) * n + j] += 0.5 * a[(size_t)i * n + j];
  }
}

void towards_each_other(double *f, int row, int layers, int left) {
  for (int g = 0; g < layers; g++)
    MPI_Sendrecv(f + (size_t)(layers - 1 - g) * row, row, MPI_DOUBLE, left, g, f + (size_t)(layers - 4 + g) * row, row,
                 MPI_DOUBLE, left, g, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// Each row is computed from the one that has come before it is sent on.
void pipeline(double *phi, const double *source, double *in, int n, int rows, int before, int behind) {
  for (int i = 0; i < rows; i++) {
    MPI_Recv(in, n, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int j = 0; j < n; j++)
      phi[(size_t)i * n + j] = source[(size_t)i * n + j] + 0.5 * in[j];
    MPI_Send(phi + (size_t)i * n, n, MPI_DOUBLE, behind, 0, MPI_COMM_WORLD);
  }
}
