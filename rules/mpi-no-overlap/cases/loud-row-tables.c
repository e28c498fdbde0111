// Rows are reached through a table of pointers. The halo rows are the first and the last of the table: the update reads
// them in its first and last row only, and the source term, of another table, not at all.
#include <mpi.h>

void update(double **temperature, double **fresh, int rows, int columns, int up, int down, MPI_Comm comm) {
  MPI_Request pending[4];
  MPI_Irecv(temperature[0], columns, MPI_DOUBLE, up, 0, comm, &pending[0]);
  MPI_Irecv(temperature[rows + 1], columns, MPI_DOUBLE, down, 0, comm, &pending[1]);
  MPI_Isend(temperature[1], columns, MPI_DOUBLE, up, 0, comm, &pending[2]);
  MPI_Isend(temperature[rows], columns, MPI_DOUBLE, down, 0, comm, &pending[3]);
  // expect: mpi-no-overlap medium "MPI_Waitall"
  MPI_Waitall(4, pending, MPI_STATUSES_IGNORE);
  for (int row = 1; row <= rows; row++)
    for (int column = 1; column < columns - 1; column++)
      fresh[row][column] = 0.25 * (temperature[row - 1][column] + temperature[row + 1][column] +
                                   temperature[row][column - 1] + temperature[row][column + 1]);
}

struct field {
  double **rows;
  double **source;
  int height, width;
};

void heat(struct field *f, int up, int down, double power, MPI_Comm comm) {
  MPI_Request pending[2];
  MPI_Irecv(f->rows[0], f->width, MPI_DOUBLE, up, 0, comm, &pending[0]);
  MPI_Isend(f->rows[f->height], f->width, MPI_DOUBLE, down, 0, comm, &pending[1]);
  // expect: mpi-no-overlap medium "MPI_Waitall"
  MPI_Waitall(2, pending, MPI_STATUSES_IGNORE);
  for (int i = 0; i < f->height; i++)
    for (int j = 0; j < f->width; j++)
      f->source[i][j] = 0.5 * f->source[i][j] + power * i;
}
