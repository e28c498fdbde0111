// Borders described as parts of the block: one column of each row.
#include <mpi.h>

static MPI_Datatype border_at(int rows, int columns, int column) {
  const int sizes[2] = {rows, columns + 2};
  const int part[2] = {rows, 1};
  const int start[2] = {0, column};
  MPI_Datatype type;
  MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_FLOAT, &type);
  MPI_Type_commit(&type);
  return type;
}

void iterate(float *field, int rows, int columns, int steps) {
  int size, left, right;
  const int open = 0;
  MPI_Comm line;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &open, 0, &line);
  MPI_Cart_shift(line, 0, 1, &left, &right);
  MPI_Datatype ghost_left = border_at(rows, columns, 0), first = border_at(rows, columns, 1);
  MPI_Datatype last = border_at(rows, columns, columns), ghost_right = border_at(rows, columns, columns + 1);
  for (int step = 0; step < steps; step++) {
    // expect: mpi-strided-halo high "gathered by a datatype" "the halo of 'field'"
    MPI_Sendrecv(field, 1, last, right, 0, field, 1, ghost_left, left, 0, line, MPI_STATUS_IGNORE);
    MPI_Sendrecv(field, 1, first, left, 1, field, 1, ghost_right, right, 1, line, MPI_STATUS_IGNORE);
    for (int y = 0; y < rows; y++)
      for (int x = 1; x <= columns; x++)
        field[y * (columns + 2) + x] *= 0.5f;
  }
}
