// The number that each rank sends is computed from the one that has come, and from nothing of its own.
#include <mpi.h>

void seed(unsigned long *x, int rank, int size) {
  if (rank > 0)
    MPI_Recv(x, 1, MPI_UNSIGNED_LONG, rank - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  *x = *x * 2862933555777941757ul + 3037000493ul;
  if (rank < size - 1)
    // expect: mpi-send-recv-chain medium "what the first one has goes from rank to rank" "as many steps"
    MPI_Send(x, 1, MPI_UNSIGNED_LONG, rank + 1, 4, MPI_COMM_WORLD);
}
