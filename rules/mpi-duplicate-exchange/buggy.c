// A strip of cells with corner halos of its own: the rows go to both neighbours, and one of them goes twice.
// ranks: 2
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS 128
#define COLUMNS 4096

static double cells[ROWS + 2][COLUMNS];

enum way { TO_UP, TO_DOWN };

static void shift_row(enum way way, int up, int down) {
  const int target = way == TO_UP ? up : down, source = way == TO_UP ? down : up;
  const int out = way == TO_UP ? 1 : ROWS, in = way == TO_UP ? ROWS + 1 : 0;
  // expect-run: mpi-duplicate-exchange high "repeat what went to the same rank from the same buffer before" "need not travel again"
  MPI_Sendrecv(cells[out], COLUMNS, MPI_DOUBLE, target, 0, cells[in], COLUMNS, MPI_DOUBLE, source, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

static void exchange(int up, int down) {
  shift_row(TO_UP, up, down);
  shift_row(TO_DOWN, up, down);
  // expect: mpi-duplicate-exchange high "MPI_Sendrecv" "sends"
  shift_row(TO_UP, up, down);
}

static void relax(void) {
  for (int row = 1; row <= ROWS; row++)
    for (int column = 0; column < COLUMNS; column++)
      cells[row][column] =
          0.5 * cells[row][column] + 0.25 * (cells[row - 1][column] + cells[row + 1][column]);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int up = (rank + size - 1) % size, down = (rank + 1) % size;
  const int steps = argc > 1 ? atoi(argv[1]) : 40;
  for (int row = 0; row < ROWS + 2; row++)
    for (int column = 0; column < COLUMNS; column++)
      cells[row][column] = (rank * ROWS + row) % 11 + 0.001 * column;

  for (int step = 0; step < steps; step++) {
    exchange(up, down);
    relax();
  }

  double sum = 0.0, total = 0.0;
  for (int row = 1; row <= ROWS; row++)
    for (int column = 0; column < COLUMNS; column++)
      sum += cells[row][column];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f\n", total);
  MPI_Finalize();
  return 0;
}
