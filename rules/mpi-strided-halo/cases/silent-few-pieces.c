// Three components of a long line of cells: no other index to cut along.
#include <mpi.h>

#define CELLS 100000

static double velocity[3][CELLS + 2];

void iterate(int steps) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int step = 0; step < steps; step++) {
    double out[3], in[3];
    for (int k = 0; k < 3; k++)
      out[k] = velocity[k][CELLS];
    MPI_Sendrecv(out, 3, MPI_DOUBLE, right, 0, in, 3, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int k = 0; k < 3; k++)
      velocity[k][0] = in[k];
  }
}
