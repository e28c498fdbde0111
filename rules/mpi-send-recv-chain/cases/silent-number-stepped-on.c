// Each rank has a factor of its own: no broadcast gives that, and no operation of MPI.
#include <mpi.h>

void seed(unsigned long *x, unsigned long factor, int rank, int size) {
  if (rank > 0)
    MPI_Recv(x, 1, MPI_UNSIGNED_LONG, rank - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  *x = *x * factor + 3037000493ul;
  if (rank < size - 1)
    MPI_Send(x, 1, MPI_UNSIGNED_LONG, rank + 1, 4, MPI_COMM_WORLD);
}
