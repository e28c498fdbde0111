// Rank 0 is late with a message that goes through all ranks, each waiting for the one before: all for rank 0.
// rule: mpi-late-sender @here cost
// watch: mpi
// ranks: 3
// with: openmpi
// also: run-sleep-in-loop (the delay)
// twin: all ranks are late
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
    if (rank > 0)
      MPI_Recv(&value, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // @here
    if (rank + 1 < size)
      MPI_Ssend(&value, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    value = largest(value);
  }
  say("here", waited_for_last());
  MPI_Finalize();
  return 0;
}
