// Functions that fill ghost rows and keep a sum of seconds and a count of calls.
#include "grid.h"
#include <mpi.h>
#include <string.h>

double seconds;
long calls;

void fill_ghosts(struct grid *g, double *a) {
  const double begin = MPI_Wtime();
  memcpy(g->out, a + g->nx, g->nx * sizeof *a);
  MPI_Sendrecv(g->out, g->nx, MPI_DOUBLE, g->lower, 1, g->in, g->nx, MPI_DOUBLE, g->upper, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  memcpy(a + g->nx * (g->ny + 1), g->in, g->nx * sizeof *a);
  calls++;
  seconds += MPI_Wtime() - begin;
}

void swap_rows(float *rows, int n, int tag) {
  MPI_Request requests[2];
  MPI_Irecv(rows, n, MPI_FLOAT, 1, tag, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(rows + n, n, MPI_FLOAT, 1, tag, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}
