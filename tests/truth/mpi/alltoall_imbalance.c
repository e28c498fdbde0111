// Rank 1 has more work before each exchange of all with all.
// rule: mpi-load-imbalance @here cost
// watch: mpi
// also: run-sleep-in-loop (the delay)
// twin: both ranks have as much
#include "truth.h"

int main(int argc, char **argv) {
  double mine[2] = {1.0, 2.0}, theirs[2];
  begin(&argc, &argv);
  for (int step = 0; step < 20; step++) {
#ifndef TWIN
    if (rank == 1)
#endif
      rest(0.01);
    arrive();
    MPI_Alltoall(mine, 1, MPI_DOUBLE, theirs, 1, MPI_DOUBLE, MPI_COMM_WORLD); // @here
  }
  say("here", waited_for_last());
  MPI_Finalize();
  return 0;
}
