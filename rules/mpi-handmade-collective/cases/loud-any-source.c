// Rank 0 adds up one number of each rank, in the order in which they come.
#include <mpi.h>

double total(double own, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  double sum = own;
  if (rank == 0) {
    for (int i = 1; i < size; i++) {
      double other;
      // expect: mpi-handmade-collective medium
      MPI_Recv(&other, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 7, comm, MPI_STATUS_IGNORE);
      sum += other;
    }
  } else {
    MPI_Send(&own, 1, MPI_DOUBLE, 0, 7, comm);
  }
  return sum;
}

// Here a rank sends as often as it has something: whoever comes is served.
long collect(const long *found, int mine, int all, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  long sum = 0;
  if (rank == 0) {
    for (int i = 0; i < all * (size - 1); i++) {
      long other;
      MPI_Recv(&other, 1, MPI_LONG, MPI_ANY_SOURCE, 7, comm, MPI_STATUS_IGNORE);
      sum += other;
    }
  } else {
    for (int i = 0; i < mine; i++)
      // expect: mpi-tiny-messages high "to the same rank" "message"
      MPI_Send(&found[i], 1, MPI_LONG, 0, 7, comm);
  }
  return sum;
}

// The message says which sum it belongs to.
void order(double own, double *values, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (rank == 0) {
    for (int i = 1; i < size; i++) {
      MPI_Status status;
      double other;
      MPI_Recv(&other, 1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
      values[status.MPI_TAG] += other;
    }
  } else {
    MPI_Send(&own, 1, MPI_DOUBLE, 0, rank / 2, comm);
  }
}

// The caller knows rank and size: each rank but the first one sends once.
long of_all(long mine, int rank, int size) {
  long sum = mine, theirs;
  if (rank != 0)
    MPI_Send(&mine, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
  else
    for (int i = 1; i < size; i++) {
      // expect: mpi-handmade-collective medium
      MPI_Recv(&theirs, 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum += theirs;
    }
  return sum;
}

// Only those that have something send.
long of_some(long mine, int rank, int senders) {
  long sum = mine, theirs;
  if (rank != 0) {
    if (mine > 0)
      MPI_Send(&mine, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD);
  } else {
    for (int i = 0; i < senders; i++) {
      MPI_Recv(&theirs, 1, MPI_LONG, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum += theirs;
    }
  }
  return sum;
}
