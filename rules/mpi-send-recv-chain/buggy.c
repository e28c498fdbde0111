// Every rank hands its border row to the next rank before it takes the row of the previous one: the last rank, which
// has nobody to send to, frees its neighbour, that one the next, and so on back to the first.
#include <mpi.h>
#include <stdio.h>

#define ROWS 64
#define COLUMNS 4000

static double field[ROWS + 1][COLUMNS];

static void shift_down(int above, int below) {
  // expect: mpi-send-recv-chain high "a chain as long as the ranks" "below"
  // expect-run: mpi-send-recv-chain high "send-before-receive chain: 3 messages wait for one another over 4 ranks, where 2 would do" "use MPI_Sendrecv"
  MPI_Send(field[ROWS], COLUMNS, MPI_DOUBLE, below, 0, MPI_COMM_WORLD);
  MPI_Recv(field[0], COLUMNS, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void relax(void) {
  for (int row = ROWS; row > 0; row--)
    for (int column = 0; column < COLUMNS; column++)
      field[row][column] = 0.75 * field[row][column] + 0.25 * field[row - 1][column];
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int row = 0; row <= ROWS; row++)
    for (int column = 0; column < COLUMNS; column++)
      field[row][column] = (rank * ROWS + row + column) % 64;

  for (int step = 0; step < 20; step++) {
    shift_down(above, below);
    relax();
  }

  double sum = 0.0;
  for (int row = 1; row <= ROWS; row++)
    for (int column = 0; column < COLUMNS; column++)
      sum += field[row][column];
  double total = 0.0;
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf("%.6f\n", total);
  MPI_Finalize();
  return 0;
}
