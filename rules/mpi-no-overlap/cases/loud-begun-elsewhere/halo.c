// Messages that the caller waits for.
#include "halo.h"

void begin(double *u, int n, int rows, int lo, int hi, MPI_Request *requests) {
  MPI_Irecv(u, n, MPI_DOUBLE, lo, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(u + (rows + 1) * n, n, MPI_DOUBLE, hi, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(u + rows * n, n, MPI_DOUBLE, hi, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(u + n, n, MPI_DOUBLE, lo, 2, MPI_COMM_WORLD, &requests[3]);
}
