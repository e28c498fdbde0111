// A pipeline over the ranks: what is sent in a step was received, or computed from what was received, a step before.
#include <mpi.h>

void pass_on(double *row, int width, int rank, int ranks, MPI_Comm comm) {
  for (int i = 1; i < width; i++) {
    if (rank > 0)
      MPI_Recv(&row[i], 1, MPI_DOUBLE, rank - 1, 0, comm, MPI_STATUS_IGNORE);
    if (rank < ranks - 1)
      MPI_Send(&row[i], 1, MPI_DOUBLE, rank + 1, 0, comm);
  }
}

void sweep(double *field, int width, int height, int rank, int ranks, MPI_Comm comm) {
  const int pitch = width + 2;
  for (int row = 1; row <= height; row++) {
    if (rank > 0)
      MPI_Recv(&field[row * pitch], 1, MPI_DOUBLE, rank - 1, 0, comm, MPI_STATUS_IGNORE);
    for (int i = 1; i <= width; i++)
      field[row * pitch + i] += 0.5 * (field[row * pitch + i - 1] + field[(row - 1) * pitch + i]);
    if (rank < ranks - 1)
      MPI_Send(&field[row * pitch + width], 1, MPI_DOUBLE, rank + 1, 0, comm);
  }
}
