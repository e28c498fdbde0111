// The message lies in a buffer of the function's own, which no table of rows leads to: what it brings is put into one
// row of a field, and another row of it leaves.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct grid {
  int id, np, n, first, last;
  double ***flux;
};

void average(struct grid *g) {
  double *face = malloc(g->n * sizeof(double));
  if (g->id > 0) {
    MPI_Recv(face, g->n, MPI_DOUBLE, g->id - 1, 310, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < g->n; i++)
      g->flux[0][g->first][i] = 0.5 * (g->flux[0][g->first][i] + face[i]);
  }
  if (g->id < g->np - 1) {
    memcpy(face, g->flux[0][g->last + 1], g->n * sizeof(double));
    // expect: mpi-send-recv-chain medium "receives from" "g->id - 1"
    MPI_Send(face, g->n, MPI_DOUBLE, g->id + 1, 310, MPI_COMM_WORLD);
  }
  free(face);
}
