// Rank 0 is late with each message; rank 1 waits in its receive.
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
    if (rank == 0) {
      MPI_Send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // @here
      MPI_Send(&value, 1, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD);
    }
  }
  say("here", waited_for_last());
  MPI_Finalize();
  return 0;
}
