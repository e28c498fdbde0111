// A wave travels along the ranks: what is sent is made from what was received.
#include <mpi.h>

double prefix(double value, int rank, int size, MPI_Comm comm) {
  double before = 0.0;
  if (rank > 0)
    MPI_Recv(&before, 1, MPI_DOUBLE, rank - 1, 0, comm, MPI_STATUS_IGNORE);
  const double sum = 0.5 * before + value;
  if (rank < size - 1)
    MPI_Send(&sum, 1, MPI_DOUBLE, rank + 1, 0, comm);
  return sum;
}
