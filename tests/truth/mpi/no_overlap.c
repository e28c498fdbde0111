// Borders are waited for before the interior is computed, which does not need them.
// rule: mpi-no-overlap @here gain
// watch: mpi
// twin: the interior comes first
#include "truth.h"

enum { BORDER = 200000, INTERIOR = 4000000 };
static double out[BORDER], in[BORDER], interior[INTERIOR];

static void compute(void) {
  for (int i = 1; i + 1 < INTERIOR; i++)
    interior[i] = 0.3 * (interior[i - 1] + interior[i] + interior[i + 1]) + 0.1;
}

int main(int argc, char **argv) {
  double from, inside = 0.0;
  begin(&argc, &argv);
  for (int step = 0; step < 15; step++) {
    MPI_Request requests[2];
    for (int i = 0; i < BORDER; i++)
      out[i] = 0.5 * in[i] + interior[i] + step;
    MPI_Irecv(in, BORDER, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, BORDER, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
#ifdef TWIN
    compute();
#endif
    from = now();
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); // @here
    inside += now() - from;
#ifndef TWIN
    compute();
#endif
  }
  say_between("here", 0.0, 1.15 * largest(inside));
  MPI_Finalize();
  return 0;
}
