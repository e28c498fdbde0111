/* A ring of messages and a sum in each step. A change may define MORE_MESSAGES, BARRIER or MEMORY. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void exchange(double *values, int next, int before) {
  MPI_Sendrecv(values, 8, MPI_DOUBLE, next, 1, values + 8, 8, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef MORE_MESSAGES
  MPI_Sendrecv(values, 1, MPI_DOUBLE, next, 2, values + 9, 1, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
}

static __attribute__((noinline)) double *numbers(int count) { return calloc((size_t)count, sizeof(double)); }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double *values = numbers(17), sum = 0;
  values[0] = rank;
  for (int step = 0; step < 10; ++step) {
    exchange(values, (rank + 1) % size, (rank + size - 1) % size);
#ifdef MEMORY
    double *more = numbers(3);
    values[16] += more[0];
    free(more);
#endif
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
  free(values);
  MPI_Finalize();
  return 0;
}
