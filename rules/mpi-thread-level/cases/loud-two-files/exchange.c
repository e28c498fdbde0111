// flags: -fopenmp
#include <mpi.h>

void exchange(double *edges, int n, int left, int right) {
#pragma omp parallel
#pragma omp single
  // expect: mpi-thread-level high
  MPI_Sendrecv(edges, n, MPI_DOUBLE, right, 0, edges + 2 * n, n, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
