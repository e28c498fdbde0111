// Both at once: the library takes care of the order.
#include <mpi.h>

void rotate(double *in, const double *out, int count, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  MPI_Sendrecv(out, count, MPI_DOUBLE, next, 0, in, count, MPI_DOUBLE, previous, 0, comm, MPI_STATUS_IGNORE);
}
