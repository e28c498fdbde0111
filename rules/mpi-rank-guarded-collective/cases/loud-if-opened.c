// The root makes the call where its file could be opened; the others count on it. Nobody knows from the source that it
// ever hangs.
#include <mpi.h>
#include <stdio.h>

void log_run(void) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FILE *out = rank == 0 ? fopen("run.log", "w") : NULL;
  if (rank != 0)
    // expect: mpi-rank-guarded-collective low "all ranks but 0 call" "MPI_Barrier"
    MPI_Barrier(MPI_COMM_WORLD);
  if (out != NULL) {
    fputs("done\n", out);
    MPI_Barrier(MPI_COMM_WORLD);
    fclose(out);
  }
}
