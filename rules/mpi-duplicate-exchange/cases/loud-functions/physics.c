#include "grid.h"
#include <math.h>
#include <mpi.h>

void residual(struct grid *g) {
  fill_ghosts(g, g->u);
  for (int j = 1; j <= g->ny; j++)
    for (int i = 0; i < g->nx; i++)
      g->rate[j * g->nx + i] = g->u[(j - 1) * g->nx + i] - 2.0 * g->u[j * g->nx + i] + g->u[(j + 1) * g->nx + i];
}

void relax(struct grid *g) {
  for (int j = 1; j <= g->ny; j++)
    for (int i = 0; i < g->nx; i++)
      g->u[j * g->nx + i] += 0.1 * g->rate[j * g->nx + i];
}

// Reads the field only.
double limit(struct grid *g) {
  double most = 0.0, all;
  fill_ghosts(g, g->u);
  for (int j = 1; j <= g->ny; j++)
    for (int i = 0; i < g->nx; i++)
      most = fmax(most, fabs(g->u[(j + 1) * g->nx + i] - g->u[j * g->nx + i]));
  MPI_Allreduce(&most, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return 0.5 / (all + 1e-30);
}

// The exchange of another field goes through the same buffers.
void carry(struct grid *g, double dt) {
  fill_ghosts(g, g->salt);
  fill_ghosts(g, g->u);
  for (int j = 1; j <= g->ny; j++)
    for (int i = 0; i < g->nx; i++)
      g->salt[j * g->nx + i] += dt * g->u[j * g->nx + i] * (g->salt[(j + 1) * g->nx + i] - g->salt[j * g->nx + i]);
}

void cool(float *rows, int n) {
  for (int i = n; i < 2 * n; i++)
    rows[i] *= 0.99f;
  swap_rows(rows, n, 7);
}

double total(const float *rows, int n) {
  double mine = 0.0, all;
  for (int i = 0; i < 2 * n; i++)
    mine += rows[i];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}
