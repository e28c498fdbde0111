// A border exchange by non-blocking messages; rank 0 comes late to each.
// rule: mpi-late-sender @here cost
// watch: mpi
// also: run-sleep-in-loop (the delay)
// twin: both ranks are late
#include "truth.h"

int main(int argc, char **argv) {
  static double out[64], in[64];
  begin(&argc, &argv);
  for (int step = 0; step < 20; step++) {
    MPI_Request requests[2];
#ifndef TWIN
    if (rank == 0)
#endif
      rest(0.01);
    for (int i = 0; i < 64; i++)
      out[i] = step + i;
    arrive();
    MPI_Irecv(in, 64, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 64, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); // @here
  }
  say("here", waited_for_last());
  MPI_Finalize();
  return 0;
}
