// A few numbers of each rank go to a log; the result is reduced.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void log_ranks(double seconds, long cells, FILE *log) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  double mine[2] = {seconds, (double)cells}, sum[2];
  double *all = malloc(2 * sizeof(double) * (size_t)size);
  MPI_Gather(mine, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Reduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    for (int r = 0; r < size; r++)
      fprintf(log, "%d %g %g\n", r, all[2 * r], all[2 * r + 1]);
    fprintf(log, "all %g %g\n", sum[0], sum[1]);
  }
  free(all);
}
