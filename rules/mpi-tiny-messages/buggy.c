// Blocks side by side exchange their border columns, one message per cell. Even ranks send first, so no chain forms.
// ranks: 2
#include <mpi.h>
#include <stdio.h>

#define ROWS 512
#define COLUMNS 64

static double field[ROWS][COLUMNS];

static void send_column(int column, int target) {
  for (int row = 0; row < ROWS; row++)
    // expect: mpi-tiny-messages high "to the same rank" "message"
    // expect-run: mpi-tiny-messages high "messages of 8 B in" "to one rank" "send each burst as one message"
    MPI_Send(&field[row][column], 1, MPI_DOUBLE, target, 0, MPI_COMM_WORLD);
}

static void receive_column(int column, int source) {
  for (int row = 0; row < ROWS; row++)
    MPI_Recv(&field[row][column], 1, MPI_DOUBLE, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange(int rank, int left, int right) {
  if (rank % 2 == 0) {
    send_column(COLUMNS - 2, right);
    receive_column(0, left);
    send_column(1, left);
    receive_column(COLUMNS - 1, right);
  } else {
    receive_column(0, left);
    send_column(COLUMNS - 2, right);
    receive_column(COLUMNS - 1, right);
    send_column(1, left);
  }
}

static void relax(void) {
  for (int row = 0; row < ROWS; row++)
    for (int column = 1; column < COLUMNS - 1; column++)
      field[row][column] += 0.125 * (field[row][column - 1] - 2.0 * field[row][column] + field[row][column + 1]);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int row = 0; row < ROWS; row++)
    for (int column = 0; column < COLUMNS; column++)
      field[row][column] = (rank * COLUMNS + column) * 3 % 50 + row * 0.01;

  for (int step = 0; step < 40; step++) {
    exchange(rank, left, right);
    relax();
  }

  double sum = 0.0;
  for (int row = 0; row < ROWS; row++)
    for (int column = 1; column < COLUMNS - 1; column++)
      sum += field[row][column];
  double total = 0.0;
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f\n", total);
  MPI_Finalize();
  return 0;
}
