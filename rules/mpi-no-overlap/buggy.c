// A strip of a plate: halo rows are exchanged, then a source term is computed that needs none of them, then the heat
// spreads. The messages travel while the rank waits for them.
// ranks: 2
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 32
#define COLUMNS 65536

static double heat[ROWS + 2][COLUMNS];
static double next_heat[ROWS + 2][COLUMNS];
static double source[ROWS + 2][COLUMNS];

static void exchange(int up, int down) {
  MPI_Request requests[4];
  MPI_Irecv(heat[0], COLUMNS, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(heat[ROWS + 1], COLUMNS, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(heat[ROWS], COLUMNS, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(heat[1], COLUMNS, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[3]);
  // expect: mpi-no-overlap high "MPI_Waitall"
  // expect-run: mpi-no-overlap medium "100 calls wait for messages that were just started" "of computation follows" "compute what needs none of the messages"
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void compute_source(double time) {
  for (int row = 1; row <= ROWS; row++)
    for (int column = 0; column < COLUMNS; column++)
      source[row][column] = 0.999 * source[row][column] + 1e-6 * time * (row + column);
}

static void spread(void) {
  for (int row = 1; row <= ROWS; row++)
    for (int column = 1; column < COLUMNS - 1; column++)
      next_heat[row][column] = heat[row][column] + source[row][column] +
                               0.2 * (heat[row - 1][column] + heat[row + 1][column] + heat[row][column - 1] +
                                      heat[row][column + 1] - 4.0 * heat[row][column]);
  for (int row = 1; row <= ROWS; row++)
    for (int column = 1; column < COLUMNS - 1; column++)
      heat[row][column] = next_heat[row][column];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  const int steps = argc > 1 ? atoi(argv[1]) : 50;
  for (int row = 0; row < ROWS + 2; row++)
    for (int column = 0; column < COLUMNS; column++)
      heat[row][column] = (rank * ROWS + row) % 7 + 0.01 * column;

  for (int step = 0; step < steps; step++) {
    exchange(up, down);
    compute_source(0.1 * step);
    spread();
  }

  double sum = 0.0, total = 0.0;
  for (int row = 1; row <= ROWS; row++)
    for (int column = 0; column < COLUMNS; column++)
      sum += heat[row][column];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f\n", total);
  MPI_Finalize();
  return 0;
}
