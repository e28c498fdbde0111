// Sums of a helper that lets all come together first, and reports of a step to one rank: of three numbers, not of two,
// nor of two passes.
#include <mpi.h>

static double total(double mine) {
  double all;
  // expect: mpi-redundant-barrier
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

double run(const double *u, int n, int steps) {
  double out = 0.0, energy[3] = {0.0, 0.0, 0.0}, pair[2] = {0.0, 0.0};
  for (int k = 0; k < steps; k++) {
    double mass = 0.0, moment = 0.0, square = 0.0;
    for (int i = 0; i < n; i++) {
      mass += u[i];
      moment += u[i] * i;
      square += u[i] * u[i];
    }
    // expect: mpi-fusable-collectives medium "2 calls of MPI_Allreduce in a row"
    const double all_mass = total(mass);
    const double all_moment = total(moment);
    out += all_moment / all_mass;
    // expect: mpi-fusable-collectives medium "3 calls of MPI_Reduce in a row"
    MPI_Reduce(&mass, &energy[0], 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&moment, &energy[1], 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&square, &energy[2], 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    out += energy[0] + energy[1] + energy[2];
    // expect: mpi-fusable-collectives low "2 calls of MPI_Reduce in a row"
    MPI_Reduce(&mass, &pair[0], 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&moment, &pair[1], 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    out += pair[0] + pair[1];
  }
  return out;
}

void passes(const int *counts, int *all) {
  for (int pass = 0; pass < 2; pass++) {
    // expect: mpi-fusable-collectives low "3 calls of MPI_Reduce in a row"
    MPI_Reduce(&counts[0], &all[0], 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&counts[1], &all[1], 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&counts[2], &all[2], 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  }
}
