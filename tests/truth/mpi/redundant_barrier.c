// A barrier that orders nothing, and makes ranks wait for each other that are slow in turn: without it they would be
// done nearly in half the time. At most the barriers take what they take.
// rule: mpi-redundant-barrier @here gain
// watch: mpi
// also: run-sleep-in-loop (the delay)
// twin: the barrier delimits a measurement of time
#include "truth.h"

int main(int argc, char **argv) {
  enum { STEPS = 30 };
  double spent[STEPS], longest[STEPS], mine = 0.0, together = 0.0, inside = 0.0, measured = 0.0;
  begin(&argc, &argv);
  for (int step = 0; step < STEPS; step++) {
    double from = now();
    rest(step % 2 == rank ? 0.012 : 0.001);
    spent[step] = now() - from;
    from = now();
    MPI_Barrier(MPI_COMM_WORLD); // @here
    inside += now() - from;
#ifdef TWIN
    measured += MPI_Wtime();
#endif
  }
  MPI_Allreduce(spent, longest, STEPS, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int step = 0; step < STEPS; step++) {
    mine += spent[step];
    together += longest[step];
  }
  mine = largest(mine);
  say_between("here", 0.85 * (together - mine), 1.15 * largest(inside));
  if (measured < 0.0)
    puts("time ran backwards");
  MPI_Finalize();
  return 0;
}
