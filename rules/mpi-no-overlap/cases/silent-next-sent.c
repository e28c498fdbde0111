// What follows writes the block that is on its way, or reads what it will be computed from.
#include <mpi.h>

void ring(double *mine, double *other, double *sum, int n, int left, int right, int ranks, MPI_Comm comm) {
  for (int step = 0; step < ranks; step++) {
    MPI_Request request[2];
    MPI_Irecv(other, n * n, MPI_DOUBLE, left, 1, comm, &request[0]);
    MPI_Isend(mine, n * n, MPI_DOUBLE, right, 1, comm, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        sum[i * n + j] += other[i * n + j];
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        mine[i * n + j] = 0.5 * mine[i * n + j] + 1.0;
  }
}
