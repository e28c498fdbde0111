// Sums that are received in one variable and left in a record at once: what is left can wait for the last one. One that
// the next sum sends can not.
#include <mpi.h>

struct sums {
  double potential, kinetic, virial;
};

void reduce(struct sums *s, MPI_Comm comm, int steps) {
  for (int k = 0; k < steps; k++) {
    double all;
    // expect: mpi-fusable-collectives medium "3 calls of MPI_Allreduce in a row pass 24 bytes together"
    MPI_Allreduce(&s->potential, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    s->potential = all;
    MPI_Allreduce(&s->kinetic, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    s->kinetic = all;
    MPI_Allreduce(&s->virial, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    s->virial = all;
    s->potential *= 1.5;
  }
}

void pass_on(struct sums *s, MPI_Comm comm, int steps) {
  for (int k = 0; k < steps; k++) {
    double all;
    MPI_Allreduce(&s->potential, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    s->kinetic = all;
    MPI_Allreduce(&s->kinetic, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    s->virial = all;
  }
}
