// An exchange by MPI_Sendrecv; rank 1 comes late to each.
// rule: mpi-late-sender @here cost
// watch: mpi
// also: run-sleep-in-loop (the delay)
// twin: both ranks are late
#include "truth.h"

int main(int argc, char **argv) {
  static double out[64], in[64];
  begin(&argc, &argv);
  for (int step = 0; step < 20; step++) {
#ifndef TWIN
    if (rank == 1)
#endif
      rest(0.01);
    for (int i = 0; i < 64; i++)
      out[i] = step + i;
    arrive();
    MPI_Sendrecv(out, 64, MPI_DOUBLE, 1 - rank, 0, in, 64, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, // @here
                 MPI_STATUS_IGNORE);
  }
  say("here", waited_for_last());
  MPI_Finalize();
  return 0;
}
