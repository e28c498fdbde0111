// Behind a table of row pointers the loops may meet what is received: a row in the middle of the table, the storage
// that the rows are parts of, rows that are sent and overwritten, tables that were exchanged, requests made beforehand.
#include <mpi.h>

// One row of the middle, for whatever reason, is received.
void update(double **temperature, double **fresh, int rows, int columns, int middle, int up, MPI_Comm comm) {
  MPI_Request pending[2];
  MPI_Irecv(temperature[middle], columns, MPI_DOUBLE, up, 0, comm, &pending[0]);
  MPI_Isend(temperature[1], columns, MPI_DOUBLE, up, 0, comm, &pending[1]);
  MPI_Waitall(2, pending, MPI_STATUSES_IGNORE);
  for (int row = 1; row <= rows; row++)
    for (int column = 1; column < columns - 1; column++)
      fresh[row][column] = 0.25 * (temperature[row - 1][column] + temperature[row + 1][column] +
                                   temperature[row][column - 1] + temperature[row][column + 1]);
}

// The loop overwrites the row that is being sent.
void relax(double **u, int rows, int columns, int up, int down, MPI_Comm comm) {
  MPI_Request pending[2];
  double ghost[4096];
  MPI_Irecv(ghost, columns, MPI_DOUBLE, up, 0, comm, &pending[0]);
  MPI_Isend(u[rows / 2], columns, MPI_DOUBLE, down, 0, comm, &pending[1]);
  MPI_Waitall(2, pending, MPI_STATUSES_IGNORE);
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++)
      u[row][column] *= 0.99;
}

struct planes {
  double *now, *next;
  long cells;
};

static void turn(struct planes *p) {
  double *kept = p->now;
  p->now = p->next;
  p->next = kept;
}

// Behind the exchange of the names, `next` is what was received.
void advance(struct planes *p, int left, MPI_Comm comm) {
  MPI_Request pending;
  MPI_Irecv(p->now, (int)p->cells, MPI_DOUBLE, left, 0, comm, &pending);
  MPI_Wait(&pending, MPI_STATUS_IGNORE);
  turn(p);
  for (int pass = 0; pass < 100; pass++)
    for (long i = 0; i < p->cells; i++)
      p->next[i] = 0.5 * p->next[i] + 1.0;
}

// Requests that were prepared once name their buffers elsewhere.
void repeat(double **u, MPI_Request *prepared, int rows, int columns) {
  MPI_Startall(4, prepared);
  MPI_Waitall(4, prepared, MPI_STATUSES_IGNORE);
  for (int row = 1; row < rows; row++)
    for (int column = 0; column < columns; column++)
      u[row][column] = 0.5 * u[row - 1][column];
}
