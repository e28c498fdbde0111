// A function that exchanges the border is called twice in a row in each step: every other message is the one before.
// rule: mpi-duplicate-exchange @here cost
// watch: mpi
// twin: the border has changed in between
#include "truth.h"

enum { COUNT = 20000 };
static double out[COUNT], in[COUNT], inside;

static void exchange(void) {
  double from = now();
  MPI_Sendrecv(out, COUNT, MPI_DOUBLE, 1 - rank, 0, in, COUNT, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, // @here
               MPI_STATUS_IGNORE);
  inside += now() - from;
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  for (int step = 0; step < 200; step++) {
    for (int i = 0; i < COUNT; i++)
      out[i] = 0.5 * in[i] + step + i;
    for (int times = 0; times < 2; times++) {
      exchange();
#ifdef TWIN
      for (int i = 0; i < COUNT; i++)
        out[i] += in[i];
#endif
    }
  }
  say_between("here", 0.0, 1.15 * largest(inside));
  MPI_Finalize();
  return 0;
}
