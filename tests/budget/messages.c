/* A ring of messages and a sum in each step. A change may define MORE_MESSAGES or BARRIER. */
#include <mpi.h>
#include <stdio.h>

static void exchange(double *values, int next, int before) {
  MPI_Sendrecv(values, 8, MPI_DOUBLE, next, 1, values + 8, 8, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef MORE_MESSAGES
  MPI_Sendrecv(values, 1, MPI_DOUBLE, next, 2, values + 9, 1, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double values[17] = {rank}, sum = 0;
  for (int step = 0; step < 10; ++step) {
    exchange(values, (rank + 1) % size, (rank + size - 1) % size);
#ifdef BARRIER
    MPI_Barrier(MPI_COMM_WORLD);
#endif
    MPI_Allreduce(values, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    /* How often this asks is a matter of time. */
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!done)
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
