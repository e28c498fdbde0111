// The conditions are here, the collective calls in the other file; one of the ranks is known there only.
#include "grid.h"

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  Grid grid;
  grid_create(&grid, 4096);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 100; step++) {
    relax(&grid);
    if (rank == 0 && step >= 0)
      relax(&grid);
    if (rank == 0)
      // expect: mpi-rank-guarded-collective high "never do, and whoever calls it hangs" "rank 0 alone calls"
      save(&grid, step);
  }
  if (grid.rank == 0) {
    relax(&grid);
    // expect: mpi-rank-guarded-collective high "never do, and whoever calls it hangs" "rank 0 alone calls"
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (is_root())
    // expect: mpi-rank-guarded-collective high "never do, and whoever calls it hangs" "rank 0 alone calls"
    synchronise(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
