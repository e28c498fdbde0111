// A second condition that does not make up for the first: the same side again, another call, or one rank too few.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void finish(FILE *out) {
  fputs("done\n", out);
  MPI_Barrier(MPI_COMM_WORLD);
  fclose(out);
}

void log_run(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FILE *out = rank == 0 ? fopen("run.log", "w") : NULL;
  if (rank)
    puts("not the root");
  if (!rank)
    // expect: mpi-rank-guarded-collective high "never do, and whoever calls it hangs" "rank 0 alone calls"
    finish(out);
}

void in_parts(double *sums, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank < 1)
    // expect: mpi-rank-guarded-collective high "never do, and whoever calls it hangs" "rank 0 alone calls"
    MPI_Bcast(sums, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 1)
    // expect: mpi-rank-guarded-collective high "never do, and whoever calls it hangs" "rank 1 alone calls"
    MPI_Bcast(sums, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

void other_call(double *sums, double *all, int n) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    // expect: mpi-rank-guarded-collective high "never do, and whoever calls it hangs" "rank 0 alone calls"
    MPI_Bcast(sums, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank != 0)
    // expect: mpi-rank-guarded-collective high "never do, and whoever calls it hangs" "all ranks but 0 call"
    MPI_Allreduce(sums, all, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

// What any rank may do at the same time makes up for nothing.
void verbose_as_well(int verbose) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    // expect: mpi-rank-guarded-collective high "never do, and whoever calls it hangs" "rank 0 alone calls"
    MPI_Barrier(MPI_COMM_WORLD);
  if (verbose)
    MPI_Barrier(MPI_COMM_WORLD);
}
