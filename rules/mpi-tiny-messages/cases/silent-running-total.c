// Each value that is reduced holds what the reduction before it gave.
#include <mpi.h>

double total(const double *values, int n, MPI_Comm comm) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    double own = values[i] + 0.5 * sum, all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    sum += all;
  }
  return sum;
}
