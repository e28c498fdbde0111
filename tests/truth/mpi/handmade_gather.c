// Rank 0 receives the parts of all others one by one.
// rule: mpi-handmade-collective @here -
// watch: mpi
// ranks: 6
// with: openmpi
// also: mpi-late-sender (ranks lack processors)
// twin: by one call
#include "truth.h"

int main(int argc, char **argv) {
  enum { COUNT = 2000, RANKS = 6 };
  static double mine[COUNT], all[RANKS * COUNT];
  begin(&argc, &argv);
  for (int step = 0; step < 300; step++) {
    for (int i = 0; i < COUNT; i++)
      mine[i] = rank + step + i;
#ifdef TWIN
    MPI_Gather(mine, COUNT, MPI_DOUBLE, all, COUNT, MPI_DOUBLE, 0, MPI_COMM_WORLD);
#else
    if (rank == 0) {
      for (int other = 1; other < size; other++)
        MPI_Recv(&all[other * COUNT], COUNT, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); // @here
    } else {
      MPI_Send(mine, COUNT, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
#endif
  }
  MPI_Finalize();
  return 0;
}
