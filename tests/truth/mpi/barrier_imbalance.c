// Rank 1 has more work before each barrier. The barrier orders nothing, either, but what is waited there is the work's.
// rule: mpi-load-imbalance @here cost
// watch: mpi
// also: run-sleep-in-loop mpi-redundant-barrier (the delay; nobody needs the barrier)
// twin: both ranks have as much
#include "truth.h"

int main(int argc, char **argv) {
  begin(&argc, &argv);
  for (int step = 0; step < 20; step++) {
#ifndef TWIN
    if (rank == 1)
#endif
      rest(0.01);
    arrive();
    MPI_Barrier(MPI_COMM_WORLD); // @here
  }
  say("here", waited_for_last());
  MPI_Finalize();
  return 0;
}
