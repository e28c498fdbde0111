// A long strip: 100 gathered values are fewer cache lines than a row of a block and its neighbour.
#include <mpi.h>

#define ROWS 100
#define COLUMNS 50000

static double strip[ROWS][COLUMNS + 2], out[ROWS], in[ROWS];

void iterate(int steps) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int step = 0; step < steps; step++) {
    for (int y = 0; y < ROWS; y++)
      out[y] = strip[y][COLUMNS];
    MPI_Sendrecv(out, ROWS, MPI_DOUBLE, right, 0, in, ROWS, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int y = 0; y < ROWS; y++)
      strip[y][0] = in[y];
  }
}
