// One rank has all the work of a program of one phase; the other waits for it in the only sum over all.
// rule: mpi-load-imbalance @here cost
// watch: mpi
// also: run-sleep-in-loop (the delay)
// twin: both ranks have as much
#include "truth.h"

int main(int argc, char **argv) {
  double mine = 1.0, sum = 0.0;
  begin(&argc, &argv);
#ifndef TWIN
  if (rank == 1)
#endif
    rest(0.4);
  arrive();
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); // @here
  say("here", waited_for_last());
  MPI_Finalize();
  return 0;
}
