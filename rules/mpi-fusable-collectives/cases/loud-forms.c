// Parameters of a record, one by one.
#include <mpi.h>

typedef struct {
  double time, step;
  int cells, output;
} Parameters;

void receive(Parameters *p, MPI_Comm comm) {
  // expect: mpi-fusable-collectives medium "that of line 12" "MPI_Bcast"
  MPI_Bcast(&p->time, 1, MPI_DOUBLE, 0, comm);
  MPI_Bcast(&p->step, 1, MPI_DOUBLE, 0, comm);
  // expect: mpi-fusable-collectives medium "that of line 15" "MPI_Bcast"
  MPI_Bcast(&p->cells, 1, MPI_INT, 0, comm);
  MPI_Bcast(&p->output, 1, MPI_INT, 0, comm);
}
