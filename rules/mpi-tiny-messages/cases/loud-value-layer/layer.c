// A layer over MPI that takes and gives numbers, not buffers.
#include "layer.h"
#include <mpi.h>

double largest_of_all(double mine) {
  double largest;
  MPI_Allreduce(&mine, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return largest;
}

int sum_of_all(int mine) {
  int sum;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

void add_all(double *number) {
  double sum;
  MPI_Allreduce(number, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  *number = sum;
}

// More than the call.
double half_of_all(double mine) {
  double sum;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return 0.5 * sum;
}
