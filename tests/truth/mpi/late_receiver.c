// Rank 1 is late with each receive; rank 0's synchronous send waits for it.
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
    if (rank == 1)
#endif
      rest(0.01);
    arrive();
    if (rank == 0)
      MPI_Ssend(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD); // @here
    else
      MPI_Recv(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  say("here", waited_for_last());
  MPI_Finalize();
  return 0;
}
