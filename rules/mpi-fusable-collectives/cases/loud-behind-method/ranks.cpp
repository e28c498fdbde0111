#include "ranks.h"

double Ranks::sum(double mine) const {
  double all;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
  return all;
}
