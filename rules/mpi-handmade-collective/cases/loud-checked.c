// Every call goes through a macro that ends the program when it fails.
#include <mpi.h>
#include <stdio.h>

#define TRY(call)                                                                                                      \
  do {                                                                                                                 \
    int code = (call);                                                                                                 \
    if (code != MPI_SUCCESS) {                                                                                         \
      fprintf(stderr, "%s failed\n", #call);                                                                           \
      MPI_Abort(MPI_COMM_WORLD, code);                                                                                 \
    }                                                                                                                  \
  } while (0)

double sum(double value, MPI_Comm comm) {
  int rank, size;
  TRY(MPI_Comm_rank(comm, &rank));
  TRY(MPI_Comm_size(comm, &size));
  for (int mask = 1; mask < size; mask <<= 1) {
    int partner = rank ^ mask;
    double other = 0.0;
    // expect: mpi-handmade-collective high "combines values with ranks at growing distances" "'mask' over the ranks"
    TRY(MPI_Sendrecv(&value, 1, MPI_DOUBLE, partner, 4, &other, 1, MPI_DOUBLE, partner, 4, comm, MPI_STATUS_IGNORE));
    value += other;
  }
  return value;
}
