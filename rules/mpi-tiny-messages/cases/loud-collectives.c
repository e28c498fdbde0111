// A broadcast or a reduction for each element of an array, where one call does it for all.
#include <mpi.h>

typedef struct {
  double mass, charge;
} Species;

void share_table(double *table, int n, MPI_Comm comm) {
  for (int i = 0; i < n; i++)
    // expect: mpi-tiny-messages medium "to MPI_Bcast, on all ranks" "passes"
    MPI_Bcast(&table[i], 1, MPI_DOUBLE, 0, comm);
}

void share_species(Species *species, int count) {
  for (int s = 0; s < count; s++) {
    // expect: mpi-tiny-messages medium, mpi-fusable-collectives low
    MPI_Bcast(&species[s].mass, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    // expect: mpi-tiny-messages medium "to MPI_Bcast, on all ranks" "passes"
    MPI_Bcast(&species[s].charge, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  }
}

void add_bins(const double *mine, double *all, int bins, MPI_Comm comm) {
  for (int b = 0; b < bins; b++)
    // expect: mpi-tiny-messages medium "to MPI_Allreduce, on all ranks" "passes"
    MPI_Allreduce(&mine[b], &all[b], 1, MPI_DOUBLE, MPI_SUM, comm);
}

void add_in_place(double *flux, int faces, MPI_Comm comm) {
  for (int f = 0; f < faces; f++)
    // expect: mpi-tiny-messages medium "to MPI_Allreduce, on all ranks" "passes"
    MPI_Allreduce(MPI_IN_PLACE, &flux[f], 1, MPI_DOUBLE, MPI_SUM, comm);
}

void add_copies(const double *mine, double *all, int bins, MPI_Comm comm) {
  for (int b = 0; b < bins; b++) {
    double part = mine[b], sum = 0.0;
    // expect: mpi-tiny-messages medium "to MPI_Allreduce, on all ranks" "passes"
    MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    all[b] = sum;
  }
}
