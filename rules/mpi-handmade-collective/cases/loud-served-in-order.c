// Every rank with every other one, those below it in one order and those above in the other.
#include <mpi.h>

void transpose(const double *out, double *in, int n, int rank, int size) {
  for (int p = 0; p < size; p++) {
    if (p == rank)
      continue;
    if (p < rank) {
      MPI_Recv(in + p * n, n, MPI_DOUBLE, p, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(out + p * n, n, MPI_DOUBLE, p, 7, MPI_COMM_WORLD);
    } else {
      // expect: mpi-handmade-collective medium "sends from every rank to every other" "MPI_Alltoall"
      MPI_Send(out + p * n, n, MPI_DOUBLE, p, 7, MPI_COMM_WORLD);
      MPI_Recv(in + p * n, n, MPI_DOUBLE, p, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}
