// The other ranks leave before the barrier.
#include <mpi.h>
#include <stdio.h>

static void report(double value, int rank) {
  if (rank != 0)
    return;
  printf("%g\n", value);
  // expect: mpi-rank-guarded-collective high "never do, and whoever calls it hangs" "rank 0 alone calls"
  MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double mine = rank, sum = 0.0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  report(sum, rank);
  MPI_Finalize();
  return 0;
}
