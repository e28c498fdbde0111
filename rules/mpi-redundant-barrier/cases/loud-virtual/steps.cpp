#include "flux.h"

void cycle(Smoother &s, Level &l, int steps) {
  for (int step = 0; step < steps; step++) {
    exchange(l);
    s.sweep(l);
    for (int i = 1; i <= l.n; i++)
      l.u[i] = l.next[i];
    // expect: mpi-redundant-barrier medium "in the loop at line 4"
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
