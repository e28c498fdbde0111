// Norms of a solver's residual and of its step, reduced side by side.
// ranks: 2
// run-args: 4000
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 64

static double field[CELLS];

static double relax(int step, double *squares, double *sum) {
  *squares = *sum = 0.0;
  for (int i = 0; i < CELLS; i++) {
    field[i] = 0.5 * field[i] + 1.0 / (i + step % 7 + 1);
    *squares += field[i] * field[i];
    *sum += fabs(field[i]);
  }
  return *squares;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 4000;
  double residual = 0.0, norm = 0.0;
  for (int step = 0; step < steps; step++) {
    double own[2], all[2];
    relax(step, &own[0], &own[1]);
    MPI_Allreduce(own, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    residual = 0.5 * all[0];
    norm = all[1];
  }
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf("%.6f %.6f\n", residual, norm);
  MPI_Finalize();
  return 0;
}
