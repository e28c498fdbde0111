// Every rank posts a receive and a send for every other.
#include <mpi.h>

void transpose(const double *out, double *in, int n, MPI_Request *requests, MPI_Comm comm) {
  int rank, size, posted = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int r = 0; r < size; r++)
    if (r != rank)
      MPI_Irecv(in + (long)r * n, n, MPI_DOUBLE, r, 0, comm, &requests[posted++]);
  for (int r = 0; r < size; r++)
    if (r != rank)
      // expect: mpi-handmade-collective high "sends from every rank to every other" "'r' over the ranks"
      MPI_Isend(out + (long)r * n, n, MPI_DOUBLE, r, 0, comm, &requests[posted++]);
  MPI_Waitall(posted, requests, MPI_STATUSES_IGNORE);
}
