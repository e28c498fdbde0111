// flags: -fopenmp
// A team for one number of each rank. Elements of the rank's own data may be many.
#include <mpi.h>

long offsets(const long *counts, long *places, MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  long all = 0;
  // expect: omp-small-loop medium ", for as many ranks"
#pragma omp parallel for reduction(+ : all)
  for (int rank = 0; rank < size; rank++)
    all += counts[rank];
  places[0] = all;
  return all;
}

long elements(const long *values, int n) {
  long all = 0;
#pragma omp parallel for reduction(+ : all)
  for (int i = 0; i < n; i++)
    all += values[i];
  return all;
}

// A block of elements for each rank.
void clear(double *blocks, int n, MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
#pragma omp parallel for
  for (int rank = 0; rank < size; rank++)
    for (int i = 0; i < n; i++)
      blocks[rank * n + i] = 0;
}
