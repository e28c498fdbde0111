// Columns travel through buffers; behind the wait and the unpacking, the update needs them in its first and last column.
// Before it, the forces of all particles need none.
#include <mpi.h>
#include <stddef.h>

struct grid {
  int rows, columns; /* with halo */
  double *u, *next;
  double *out[2], *in[2];
  double *fx, *fy, *x, *y;
  size_t particles;
};

static double *cell(struct grid *g, int row, int column) { return &g->u[(size_t)row * g->columns + column]; }

static void exchange(struct grid *g, int left, int right, MPI_Comm comm) {
  MPI_Request request[4];
  MPI_Irecv(g->in[0], g->rows, MPI_DOUBLE, left, 7, comm, &request[0]);
  MPI_Irecv(g->in[1], g->rows, MPI_DOUBLE, right, 7, comm, &request[1]);
  for (int row = 0; row < g->rows; row++) {
    g->out[0][row] = *cell(g, row, 1);
    g->out[1][row] = *cell(g, row, g->columns - 2);
  }
  // expect: mpi-strided-halo medium "copied one by one to a buffer" "pieces of 8 bytes"
  MPI_Isend(g->out[0], g->rows, MPI_DOUBLE, left, 7, comm, &request[2]);
  MPI_Isend(g->out[1], g->rows, MPI_DOUBLE, right, 7, comm, &request[3]);
  // expect: mpi-no-overlap low "although the loop over 'i' at line 36 may work on other data" "MPI_Waitall"
  MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
  for (int row = 0; row < g->rows; row++) {
    *cell(g, row, 0) = g->in[0][row];
    *cell(g, row, g->columns - 1) = g->in[1][row];
  }
}

static void forces(struct grid *g) {
  for (size_t i = 0; i < g->particles; i++)
    for (size_t j = 0; j < g->particles; j++) {
      double dx = g->x[i] - g->x[j], dy = g->y[i] - g->y[j], r2 = dx * dx + dy * dy + 1e-9;
      g->fx[i] += dx / r2;
      g->fy[i] += dy / r2;
    }
}

static void update(struct grid *g) {
  for (int row = 1; row < g->rows - 1; row++)
    for (int column = 1; column < g->columns - 1; column++)
      g->next[(size_t)row * g->columns + column] =
          0.25 * (*cell(g, row - 1, column) + *cell(g, row + 1, column) + *cell(g, row, column - 1) +
                  *cell(g, row, column + 1));
}

void advance(struct grid *g, int left, int right, int steps, MPI_Comm comm) {
  for (int step = 0; step < steps; step++) {
    exchange(g, left, right, comm);
    forces(g);
    update(g);
  }
}
