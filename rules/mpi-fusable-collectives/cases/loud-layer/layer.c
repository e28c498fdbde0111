// Sums over the ranks, each a function of its own.
#include "layer.h"

MPI_Comm grid;

double team_sum(double own, const struct team *team) {
  double sum;
  MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, team->comm);
  return sum;
}

void add_up(double *number) {
  double sum;
  MPI_Allreduce(number, &sum, 1, MPI_DOUBLE, MPI_SUM, grid);
  *number = sum;
}
