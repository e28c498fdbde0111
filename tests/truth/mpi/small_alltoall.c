// Thousands of exchanges of all with all, eight bytes for each.
// rule: mpi-many-small-alltoall @here cost
// watch: mpi
// ranks: 4
// with: openmpi
// twin: as much in one exchange
#include "truth.h"

int main(int argc, char **argv) {
  enum { TIMES = 2000, RANKS = 4 };
  static double out[RANKS * TIMES], in[RANKS * TIMES];
  double inside = 0.0, from;
  begin(&argc, &argv);
  for (int i = 0; i < RANKS * TIMES; i++)
    out[i] = rank + i;
  from = now();
#ifdef TWIN
  MPI_Alltoall(out, TIMES, MPI_DOUBLE, in, TIMES, MPI_DOUBLE, MPI_COMM_WORLD);
#else
  for (int i = 0; i < TIMES; i++)
    MPI_Alltoall(&out[RANKS * i], 1, MPI_DOUBLE, &in[RANKS * i], 1, MPI_DOUBLE, MPI_COMM_WORLD); // @here
#endif
  inside += now() - from;
  say_between("here", 0.0, 1.15 * largest(inside));
  MPI_Finalize();
  return 0;
}
