// Sums of arrays that are more than each rank's own part among zeros.
#include <mpi.h>
#include <string.h>

// Every rank counts in all bins.
void histogram(long *bins, const int *values, int n, int count, int steps) {
  for (int step = 0; step < steps; step++) {
    memset(bins, 0, n * sizeof *bins);
    for (int i = 0; i < count; i++)
      bins[values[i]]++;
    MPI_Allreduce(MPI_IN_PLACE, bins, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  }
}

// What others write stays in it from step to step.
void running(double *loads, double mine, int ranks, int steps) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  memset(loads, 0, ranks * sizeof *loads);
  for (int step = 0; step < steps; step++) {
    loads[rank] = mine + step;
    MPI_Allreduce(MPI_IN_PLACE, loads, ranks, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    mine = loads[0];
  }
}

// Parts of two neighbours overlap: what is added to them counts.
void shared(double *nodes, const double *own, int n, int ranks, int steps) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < steps; step++) {
    memset(nodes, 0, n * ranks * sizeof *nodes);
    for (int i = 0; i < 2 * n; i++)
      nodes[rank * n + i / 2] += own[i];
    MPI_Allreduce(MPI_IN_PLACE, nodes, n * ranks, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

// The largest of them, and one number.
void others(double *loads, double mine, int ranks, int steps) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < steps; step++) {
    memset(loads, 0, ranks * sizeof *loads);
    loads[rank] = mine + step;
    MPI_Allreduce(MPI_IN_PLACE, loads, ranks, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    mine = loads[0];
  }
}

// Also a total, which each rank adds to.
void with_total(double *loads, double mine, int ranks, int steps) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < steps; step++) {
    memset(loads, 0, (ranks + 1) * sizeof *loads);
    loads[rank + 1] = mine + step;
    loads[0] = mine;
    MPI_Allreduce(MPI_IN_PLACE, loads, ranks + 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    mine = loads[0];
  }
}

// The last one keeps what it was, which all add up.
void all_but_one(double *loads, double mine, int ranks, int steps) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < steps; step++) {
    memset(loads, 0, (ranks - 1) * sizeof *loads);
    loads[rank] = mine + step;
    MPI_Allreduce(MPI_IN_PLACE, loads, ranks, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    mine = loads[0];
  }
}

void all_but_the_first(double *loads, double mine, int ranks, int steps) {
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < steps; step++) {
    memset(loads + 1, 0, ranks * sizeof *loads);
    loads[rank] = mine + step;
    MPI_Allreduce(MPI_IN_PLACE, loads, ranks, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    mine = loads[0];
  }
}
