// Results that the next call needs.
#include <math.h>
#include <mpi.h>

double chained(const double *v, int n, MPI_Comm comm) {
  double sum = 0, mean, squares = 0, all;
  for (int i = 0; i < n; i++)
    sum += v[i];
  MPI_Allreduce(&sum, &mean, 1, MPI_DOUBLE, MPI_SUM, comm);
  for (int i = 0; i < n; i++)
    squares += (v[i] - mean) * (v[i] - mean);
  MPI_Allreduce(&squares, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  return all;
}

double needed(double own, MPI_Comm comm) {
  double sum, norm, again;
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
  norm = own / sum;
  MPI_Allreduce(&norm, &again, 1, MPI_DOUBLE, MPI_SUM, comm);
  return again;
}
