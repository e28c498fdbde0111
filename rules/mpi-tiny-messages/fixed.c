// Blocks side by side exchange their border columns, one message per column. Even ranks send first, so no chain forms.
// ranks: 2
#include <mpi.h>
#include <stdio.h>

#define ROWS 512
#define COLUMNS 64

static double field[ROWS][COLUMNS];

static MPI_Datatype column_type;

static void send_column(int column, int target) {
  // expect: mpi-strided-halo high "gathered by a datatype" "512 pieces of 8 bytes"
  MPI_Send(&field[0][column], 1, column_type, target, 0, MPI_COMM_WORLD);
}

static void receive_column(int column, int source) {
  MPI_Recv(&field[0][column], 1, column_type, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
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

  MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column_type);
  MPI_Type_commit(&column_type);
  for (int step = 0; step < 40; step++) {
    exchange(rank, left, right);
    relax();
  }
  MPI_Type_free(&column_type);

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
