// One message per rank, not per element.
#include <mpi.h>

void scatter_values(const double *values, int size) {
  for (int rank = 1; rank < size; rank++)
    MPI_Send(&values[rank], 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD);
}
