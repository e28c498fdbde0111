// What is received meanwhile goes to the cell, or into the column, that is sent again.
#include <mpi.h>

enum { VALUES = 9 };
typedef struct {
  int columns, rows;
  double *values;
} Field;
typedef struct {
  int columns, rows, west, east, north_west, south_east;
} Neighbours;

static double *at(const Field *f, int column, int row) {
  return f->values + (column * f->rows + row) * VALUES;
}

static void pass_cell(const Field *f, int sends, int peer, int column, int row) {
  if (peer == MPI_PROC_NULL)
    return;
  if (sends)
    // expect: mpi-send-recv-chain medium "a chain as long as the ranks" "c->north_west"
    MPI_Send(at(f, column, row), VALUES, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  else
    MPI_Recv(at(f, column, row), VALUES, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void pass_column(const Field *f, int sends, int peer, int column) {
  for (int row = 1; row < f->rows - 1; row++)
    // expect: mpi-tiny-messages high "72 bytes per message" "to the same rank"
    pass_cell(f, sends, peer, column, row);
}

static void clear_row(const Field *f, int row) {
  for (int column = 0; column < f->columns; column++)
    at(f, column, row)[0] = 0;
}

// The other record's last row but one is this record's.
void corners(const Neighbours *c, const Field *f) {
  pass_cell(f, 1, c->north_west, 1, c->rows - 2);
  pass_cell(f, 0, c->south_east, 1, f->rows - 2);
  pass_cell(f, 1, c->north_west, 1, c->rows - 2);
  pass_cell(f, 0, c->south_east, 1, f->rows - 2);
}

void sides(const Neighbours *c, const Field *f) {
  pass_column(f, 1, c->west, 1);
  pass_column(f, 0, c->east, c->columns - 1);
  clear_row(f, c->rows - 2);
  pass_column(f, 1, c->west, 1);
  pass_column(f, 0, c->east, c->columns - 1);
}
