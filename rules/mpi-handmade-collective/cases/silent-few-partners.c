// Four directions, and a file that is passed on from rank to rank.
#include <mpi.h>

void halo(double *edges, const double *own, const int *around, int n, MPI_Comm comm) {
  MPI_Request requests[8];
  for (int d = 0; d < 4; d++)
    MPI_Irecv(edges + d * n, n, MPI_DOUBLE, around[d], d, comm, &requests[d]);
  for (int d = 0; d < 4; d++)
    MPI_Isend(own + d * n, n, MPI_DOUBLE, around[d], d ^ 1, comm, &requests[4 + d]);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

void turns(double *token, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int r = 0; r + 1 < size; r++) {
    if (rank == r)
      MPI_Send(token, 1, MPI_DOUBLE, r + 1, 0, comm);
    else if (rank == r + 1)
      MPI_Recv(token, 1, MPI_DOUBLE, r, 0, comm, MPI_STATUS_IGNORE);
  }
}
