// Blocks and sums that go round a ring: p - 1 steps.
#include <mpi.h>
#include <string.h>

void gather_all(double *all, int n, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  for (int step = 0; step < size - 1; step++) {
    const int out = (rank + size - step) % size, in = (rank + size - step - 1) % size;
    // expect: mpi-handmade-collective high "passes blocks round the ring of ranks" "'step' over the ranks"
    MPI_Sendrecv(all + out * n, n, MPI_DOUBLE, next, 0, all + in * n, n, MPI_DOUBLE, previous, 0, comm,
                 MPI_STATUS_IGNORE);
  }
}

void sum_all(float *sums, float *passed, float *arrived, int n, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  memcpy(passed, sums, n * sizeof *passed);
  for (int step = 1; step < size; step++) {
    MPI_Request request;
    MPI_Irecv(arrived, n, MPI_FLOAT, (rank + size - 1) % size, 1, comm, &request);
    // expect: mpi-handmade-collective high
    MPI_Send(passed, n, MPI_FLOAT, (rank + 1) % size, 1, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < n; i++)
      sums[i] += arrived[i];
    float *other = passed;
    passed = arrived;
    arrived = other;
  }
}
