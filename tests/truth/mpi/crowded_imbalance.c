// Rank 1 has nearly all the work before each barrier, on a machine whose processors others use, too: what ranks waited
// is longer than that, and what they lacked a processor for is taken off.
// rule: mpi-load-imbalance @here cost
// watch: mpi
// load: 1
// also: mpi-redundant-barrier (nobody needs the barrier)
// twin: both ranks have as much
#include "truth.h"

static double used(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// Of the processor, which others do not stretch.
static double compute(double seconds) {
  double begin = used(), end = begin + seconds, last;
  while ((last = used()) < end)
    ;
  return last - begin;
}

int main(int argc, char **argv) {
  double mine = 0.0;
  begin(&argc, &argv);
  for (int step = 0; step < 30; step++) {
#ifdef TWIN
    mine += compute(0.02);
#else
    mine += compute(rank == 1 ? 0.03 : 0.0003);
#endif
    MPI_Barrier(MPI_COMM_WORLD); // @here
  }
  say("here", largest(mine) + largest(-mine));
  MPI_Finalize();
  return 0;
}
