// Rank and size are members that another unit fills: the neighbours on a ring are remainders by one of them. What the
// last rank tells the first one makes no tree of it.
#include <mpi.h>

struct Comm {
  int rank, size;
  void total(double *x, double *t, int n) const;
};

void Comm::total(double *x, double *t, int n) const {
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  if (rank > 0) {
    MPI_Recv(t, n, MPI_DOUBLE, last, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < n; k++)
      x[k] += t[k];
  }
  if (rank < size - 1)
    // expect: mpi-send-recv-chain medium "what they add up goes from rank to rank"
    MPI_Send(x, n, MPI_DOUBLE, next, 41, MPI_COMM_WORLD);
  if (rank == size - 1)
    MPI_Send(x, n, MPI_DOUBLE, 0, 41, MPI_COMM_WORLD);
}
