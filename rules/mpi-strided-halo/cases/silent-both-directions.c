// A grid of ranks: one border of each block is contiguous, the other cannot be.
#include <mpi.h>

void iterate(double *field, int rows, int columns, int steps, MPI_Comm grid) {
  const int pitch = columns + 2;
  int above, below, left, right;
  MPI_Cart_shift(grid, 0, 1, &above, &below);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, pitch, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  for (int step = 0; step < steps; step++) {
    MPI_Sendrecv(&field[pitch + 1], columns, MPI_DOUBLE, above, 0, &field[(rows + 1) * pitch + 1], columns, MPI_DOUBLE,
                 below, 0, grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&field[rows * pitch + 1], columns, MPI_DOUBLE, below, 1, &field[1], columns, MPI_DOUBLE, above, 1,
                 grid, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&field[pitch + columns], 1, column, right, 2, &field[pitch], 1, column, left, 2, grid,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(&field[pitch + 1], 1, column, left, 3, &field[pitch + columns + 1], 1, column, right, 3, grid,
                 MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&column);
}
