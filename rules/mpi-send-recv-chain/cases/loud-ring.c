// On a ring nobody is the last: with large messages this never ends.
#include <mpi.h>

void rotate(double *in, const double *out, int count, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int next = (rank + 1) % size;
  const int previous = (rank + size - 1) % size;
  // expect: mpi-send-recv-chain high "a chain as long as the ranks" "previous"
  MPI_Send(out, count, MPI_DOUBLE, next, 0, comm);
  MPI_Recv(in, count, MPI_DOUBLE, previous, 0, comm, MPI_STATUS_IGNORE);
}
