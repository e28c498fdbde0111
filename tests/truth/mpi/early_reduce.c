// The root of each reduction comes before the other rank.
// rule: mpi-late-sender @here cost
// watch: mpi
// also: run-sleep-in-loop (the delay)
// twin: it comes with it
#include "truth.h"

int main(int argc, char **argv) {
  double mine = 1.0, sum = 0.0;
  begin(&argc, &argv);
  for (int step = 0; step < 20; step++) {
#ifndef TWIN
    if (rank == 1)
#endif
      rest(0.01);
    arrive();
    MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); // @here
  }
  say("here", waited_for_last());
  MPI_Finalize();
  return 0;
}
