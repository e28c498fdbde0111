// Blocks go round a ring and each rank computes with its visitors; partners sort their blocks: algorithms, not
// collectives.
#include <mpi.h>
#include <string.h>

void forces(double *force, const double *own, double *visitors, double *arrived, int n, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int step = 0; step < size; step++) {
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        force[i] += (own[i] - visitors[j]) * 0.5;
    MPI_Sendrecv(visitors, n, MPI_DOUBLE, (rank + 1) % size, 0, arrived, n, MPI_DOUBLE, (rank + size - 1) % size, 0,
                 comm, MPI_STATUS_IGNORE);
    memcpy(visitors, arrived, n * sizeof *visitors);
  }
}

extern void merge_half(double *own, const double *other, int n, int upper);

void sort(double *own, double *other, int n, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int bit = 1; bit < size; bit <<= 1) {
    MPI_Sendrecv(own, n, MPI_DOUBLE, rank ^ bit, 0, other, n, MPI_DOUBLE, rank ^ bit, 0, comm, MPI_STATUS_IGNORE);
    merge_half(own, other, n, rank & bit);
  }
}

void advance(double *field, int n, int steps, MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int step = 0; step < steps; step++) {
    MPI_Sendrecv(field + n - 2, 1, MPI_DOUBLE, (rank + 1) % size, 0, field, 1, MPI_DOUBLE, (rank + size - 1) % size, 0,
                 comm, MPI_STATUS_IGNORE);
    for (int i = 1; i < n - 1; i++)
      field[i] += 0.25 * field[i - 1];
  }
}
