// Norms of a solver's residual and of its step, each reduced on its own.
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
    double squares, sum;
    relax(step, &squares, &sum);
    // expect: mpi-fusable-collectives medium "that of line 34" "MPI_Allreduce"
    // expect-run: mpi-fusable-collectives "2 calls of MPI_Allreduce follow each other 4,000 times with 8 bytes each" "call MPI_Allreduce once"
    MPI_Allreduce(&squares, &residual, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    residual *= 0.5;
    MPI_Allreduce(&sum, &norm, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf("%.6f %.6f\n", residual, norm);
  MPI_Finalize();
  return 0;
}
