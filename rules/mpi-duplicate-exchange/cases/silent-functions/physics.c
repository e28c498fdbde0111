#include "grid.h"
#include <mpi.h>

void residual(struct grid *g) {
  fill_ghosts(g, g->u);
  for (int j = 1; j <= g->ny; j++)
    for (int i = 0; i < g->nx; i++)
      g->rate[j * g->nx + i] = g->u[(j + 1) * g->nx + i] - g->u[j * g->nx + i];
}

// What it is given may be any field.
void relax(struct grid *g, double *x) {
  for (int j = 1; j <= g->ny; j++)
    for (int i = 0; i < g->nx; i++)
      x[j * g->nx + i] += 0.1 * g->rate[j * g->nx + i];
}

void swap(struct grid *g) {
  double *old = g->u;
  g->u = g->next;
  g->next = old;
}

void refine(struct grid *g) { g->nx *= 2; }
