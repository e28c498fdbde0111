// Twice the same, since there is nothing yet: a solver begins with zeros, whose border it exchanges right after its
// preparation did. These are no duplicates to be saved.
// rule: none
// watch: mpi
// twin: none
#include "truth.h"

int main(int argc, char **argv) {
  enum { COUNT = 20000 };
  static double out[COUNT], in[COUNT];
  begin(&argc, &argv);
  for (int solve = 0; solve < 100; solve++) {
    for (int i = 0; i < COUNT; i++)
      out[i] = 0.0;
    for (int step = 0; step < 3; step++) {
      if (step == 2)
        for (int i = 0; i < COUNT; i++)
          out[i] = 0.5 * in[i] + solve + i;
      MPI_Sendrecv(out, COUNT, MPI_DOUBLE, 1 - rank, 0, in, COUNT, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
    }
  }
  MPI_Finalize();
  return 0;
}
