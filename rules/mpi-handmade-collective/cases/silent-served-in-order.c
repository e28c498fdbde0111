// Ranks above are sent to and those below received from: a triangle, and other data on each side.
#include <mpi.h>

void triangle(const double *out, double *in, int n, int rank, int size) {
  for (int p = 0; p < size; p++) {
    if (p == rank)
      continue;
    if (p < rank)
      MPI_Recv(in + p * n, n, MPI_DOUBLE, p, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Send(out + p * n, n, MPI_DOUBLE, p, 7, MPI_COMM_WORLD);
  }
}
