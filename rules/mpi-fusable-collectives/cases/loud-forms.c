// Parameters of a record, one by one: they are told once, unless a loop does it.
#include <mpi.h>

typedef struct {
  double time, step;
  int cells, output;
} Parameters;

void receive(Parameters *p, MPI_Comm comm) {
  // expect: mpi-fusable-collectives low "that of line 12" "MPI_Bcast"
  MPI_Bcast(&p->time, 1, MPI_DOUBLE, 0, comm);
  MPI_Bcast(&p->step, 1, MPI_DOUBLE, 0, comm);
  // expect: mpi-fusable-collectives low "that of line 15" "MPI_Bcast"
  MPI_Bcast(&p->cells, 1, MPI_INT, 0, comm);
  MPI_Bcast(&p->output, 1, MPI_INT, 0, comm);
}

// What all have to agree on is asked again and again.
int agree(int own, int other, MPI_Comm comm) {
  int all = 0, most = 0;
  // expect: mpi-fusable-collectives medium "that of line 23" "MPI_Allreduce"
  MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_SUM, comm);
  MPI_Allreduce(&other, &most, 1, MPI_INT, MPI_SUM, comm);
  return all - most;
}
