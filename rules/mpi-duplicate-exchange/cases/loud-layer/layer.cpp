// A layer that takes its arguments in another order than MPI.
#include "layer.h"
#include <mpi.h>

void grid::share(int to, int from, int count, const double *out, double *in) const {
  MPI_Sendrecv(out, count, MPI_DOUBLE, to, 0, in, count, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
