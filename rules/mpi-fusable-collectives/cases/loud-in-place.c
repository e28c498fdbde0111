// Reductions of several lengths, one of them in place.
#include <mpi.h>

void totals(double energy[3], double *mass, MPI_Comm comm) {
  double heaviest = *mass, all[3];
  // expect: mpi-fusable-collectives medium "that of line 8" "MPI_Allreduce"
  MPI_Allreduce(energy, all, 3, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Allreduce(MPI_IN_PLACE, &heaviest, 1, MPI_DOUBLE, MPI_SUM, comm);
  *mass = heaviest + all[0] + all[1] + all[2];
}
