// Rank 0 collects the data of all and writes them alone, while the other waits.
// rule: mpi-serial-io @here gain
// watch: mpi
// also: mpi-late-sender run-sleep-in-loop (the waiting for it)
// twin: each rank writes its own
#include "truth.h"

static void output(FILE *file, const double *data, int count) {
  fwrite(data, sizeof *data, (size_t)count, file);
  fflush(file);
  rest(0.01); // of a disk
}

int main(int argc, char **argv) {
  enum { COUNT = 10000 };
  static double mine[COUNT], all[2 * COUNT];
  double inside = 0.0, from;
  FILE *file = tmpfile();
  begin(&argc, &argv);
  for (int step = 0; step < 20; step++) {
    for (int i = 0; i < COUNT; i++)
      mine[i] = rank + step + i;
#ifdef TWIN
    output(file, mine, COUNT);
#else
    MPI_Gather(mine, COUNT, MPI_DOUBLE, all, COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD); // @here
    from = now();
    if (rank == 0)
      output(file, all, 2 * COUNT);
    inside += now() - from;
#endif
    MPI_Allreduce(MPI_IN_PLACE, mine, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  // Two ranks could write it in half the time.
  say("here", 0.5 * largest(inside));
  fclose(file);
  MPI_Finalize();
  return 0;
}
