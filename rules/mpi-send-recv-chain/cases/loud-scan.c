// Sums and extremes that go from rank to rank, in each step.
#include <mpi.h>

double prefix(double mine, int rank, int size, MPI_Comm comm) {
  double sum = 0;
  if (rank > 0)
    MPI_Recv(&sum, 1, MPI_DOUBLE, rank - 1, 3, comm, MPI_STATUS_IGNORE);
  sum += mine;
  if (rank < size - 1)
    // expect: mpi-send-recv-chain medium "goes from rank to rank" "MPI_Scan gives each rank"
    MPI_Send(&sum, 1, MPI_DOUBLE, rank + 1, 3, comm);
  return sum;
}

// Each rank keeps what came before it, too.
double account(double mine, double *before, int rank, int size, MPI_Comm comm) {
  double sum = 0;
  if (rank > 0)
    MPI_Recv(&sum, 1, MPI_DOUBLE, rank - 1, 6, comm, MPI_STATUS_IGNORE);
  *before = sum;
  sum += mine;
  if (rank < size - 1)
    // expect: mpi-send-recv-chain medium "goes from rank to rank" "MPI_Scan gives each rank"
    MPI_Send(&sum, 1, MPI_DOUBLE, rank + 1, 6, comm);
  return sum;
}

long first_of(long count, int rank, int size, MPI_Comm comm) {
  long first = 0;
  if (rank > 0)
    MPI_Recv(&first, 1, MPI_LONG, rank - 1, 4, comm, MPI_STATUS_IGNORE);
  long next = first + count;
  if (rank + 1 < size)
    // expect: mpi-send-recv-chain medium "goes from rank to rank" "MPI_Exscan what those before it have"
    MPI_Send(&next, 1, MPI_LONG, rank + 1, 4, comm);
  return first;
}

double smallest(double mine, int rank, int size, MPI_Comm comm) {
  double least = mine;
  if (rank > 0)
    MPI_Recv(&least, 1, MPI_DOUBLE, rank - 1, 7, comm, MPI_STATUS_IGNORE);
  least = least < mine ? least : mine;
  if (rank < size - 1)
    // expect: mpi-send-recv-chain medium "goes from rank to rank" "MPI_Scan gives each rank"
    MPI_Send(&least, 1, MPI_DOUBLE, rank + 1, 7, comm);
  return least;
}

double largest(double mine, int rank, int size, MPI_Comm comm) {
  double most = mine, other;
  if (rank > 0) {
    MPI_Recv(&other, 1, MPI_DOUBLE, rank - 1, 5, comm, MPI_STATUS_IGNORE);
    if (other > most)
      most = other;
  }
  if (rank < size - 1)
    // expect: mpi-send-recv-chain medium "goes from rank to rank" "MPI_Allreduce gives all ranks the whole"
    MPI_Send(&most, 1, MPI_DOUBLE, rank + 1, 5, comm);
  MPI_Bcast(&most, 1, MPI_DOUBLE, size - 1, comm);
  return most;
}
