// The border is exchanged twice in each step, though nothing has changed in between.
// rule: mpi-duplicate-exchange @here cost
// watch: mpi
// twin: it has changed
#include "truth.h"

int main(int argc, char **argv) {
  enum { COUNT = 20000 };
  static double out[COUNT], in[COUNT];
  double inside = 0.0, from;
  begin(&argc, &argv);
  for (int step = 0; step < 200; step++) {
    for (int i = 0; i < COUNT; i++)
      out[i] = 0.5 * in[i] + step + i;
    MPI_Sendrecv(out, COUNT, MPI_DOUBLE, 1 - rank, 0, in, COUNT, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
#ifdef TWIN
    for (int i = 0; i < COUNT; i++)
      out[i] += in[i];
#endif
    from = now();
    MPI_Sendrecv(out, COUNT, MPI_DOUBLE, 1 - rank, 0, in, COUNT, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, // @here
                 MPI_STATUS_IGNORE);
    inside += now() - from;
  }
  // Without what was waited in them for the other rank.
  say_between("here", 0.0, 1.15 * largest(inside));
  MPI_Finalize();
  return 0;
}
