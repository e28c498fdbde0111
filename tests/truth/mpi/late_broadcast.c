// The root of each broadcast is late.
// rule: mpi-late-sender @here cost
// watch: mpi
// also: run-sleep-in-loop (the delay)
// twin: both ranks are late
#include "truth.h"

int main(int argc, char **argv) {
  double value = 1.0;
  begin(&argc, &argv);
  for (int step = 0; step < 20; step++) {
#ifndef TWIN
    if (rank == 0)
#endif
      rest(0.01);
    arrive();
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); // @here
  }
  say("here", waited_for_last());
  MPI_Finalize();
  return 0;
}
