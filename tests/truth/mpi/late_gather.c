// The root that collects comes before the other rank.
// rule: mpi-late-sender @here cost
// watch: mpi
// also: run-sleep-in-loop (the delay)
// twin: it comes with it
#include "truth.h"

int main(int argc, char **argv) {
  double mine = 1.0, all[2];
  begin(&argc, &argv);
  for (int step = 0; step < 20; step++) {
#ifndef TWIN
    if (rank == 0)
#endif
      rest(0.01);
    arrive();
    MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD); // @here
  }
  say("here", waited_for_last());
  MPI_Finalize();
  return 0;
}
