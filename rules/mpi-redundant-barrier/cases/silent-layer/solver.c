#include "layer.h"

void relax(double *u, int n, int left, int right, int sweeps) {
  for (int s = 0; s < sweeps; s++) {
    comm_sendrecv(u + 1, 1, MPI_DOUBLE, left, 0, u + n - 1, 1, MPI_DOUBLE, right);
    comm_barrier(MPI_COMM_WORLD);
    for (int i = 1; i < n - 1; i++)
      u[i] = 0.5 * (u[i - 1] + u[i + 1]);
  }
}
