// A gather made of a sum: everything is zero but for each rank's own part.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

void in_place(double *loads, double mine, int ranks, int steps) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < steps; step++) {
    memset(loads, 0, ranks * sizeof *loads);
    loads[rank] = mine + step;
    // expect: mpi-fusable-collectives medium "a gather, for which all ranks send and add zeros"
    MPI_Allreduce(MPI_IN_PLACE, loads, ranks, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    mine = loads[0];
  }
}

void of_parts(int *all, const int *own, int n, int ranks, int steps) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int *parts = malloc((size_t)n * ranks * sizeof *parts);
  for (int step = 0; step < steps; step++) {
    for (int i = 0; i < n * ranks; i++)
      parts[i] = 0;
    for (int i = 0; i < n; i++)
      parts[rank * n + i] = own[i] + step;
    // expect: mpi-fusable-collectives medium "a gather, for which all ranks send and add zeros"
    MPI_Reduce(parts, all, n * ranks, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  }
  free(parts);
}

void once(long *all, long mine, int ranks) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  long *parts = calloc(ranks, sizeof *parts);
  parts[rank] = mine;
  // expect: mpi-fusable-collectives low "a gather, for which all ranks send and add zeros"
  MPI_Allreduce(parts, all, ranks, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  free(parts);
}
