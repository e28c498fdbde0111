// Blocks come one by one and are put where they belong, large ones as well as a few numbers.
#include <mpi.h>
#include <stdlib.h>

void assemble(const double *mine, double *all, int rows, int columns, int across, int ranks, int rank, MPI_Comm comm) {
  if (rank) {
    MPI_Send(mine, rows * columns, MPI_DOUBLE, 0, 7, comm);
    return;
  }
  double *block = malloc(sizeof(double) * rows * columns);
  for (int r = 1; r < ranks; r++) {
    // expect: mpi-handmade-collective medium "receives a block from one rank after another"
    MPI_Recv(block, rows * columns, MPI_DOUBLE, r, 7, comm, MPI_STATUS_IGNORE);
    for (int j = 0; j < rows; j++)
      for (int i = 0; i < columns; i++)
        all[((r / across) * rows + j) * across * columns + (r % across) * columns + i] = block[j * columns + i];
  }
  free(block);
}

void table(const double mine[4], double (*all)[4], int ranks, int rank, MPI_Comm comm) {
  if (rank) {
    MPI_Send(mine, 4, MPI_DOUBLE, 0, 8, comm);
    return;
  }
  double block[4];
  for (int r = 1; r < ranks; r++) {
    // expect: mpi-handmade-collective medium "receives a block from one rank after another"
    MPI_Recv(block, 4, MPI_DOUBLE, r, 8, comm, MPI_STATUS_IGNORE);
    for (int k = 0; k < 4; k++)
      all[r][k] = block[k];
  }
}
