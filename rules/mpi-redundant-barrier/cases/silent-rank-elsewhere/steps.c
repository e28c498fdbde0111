// The variable holds the rank at first, and something else that several ranks may have in common from then on.
#include "ranks.h"
#include <stdio.h>

void share(int group) { leader = leader % group; }

void advance(double *u, int n, int steps, int left, int right) {
  for (int step = 0; step < steps; step++) {
    MPI_Sendrecv(u + 1, 1, MPI_DOUBLE, left, 0, u + n - 1, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i < n - 1; i++)
      u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (leader == 0)
      printf("step %d: %g\n", step, u[1]);
  }
}

void renumber(struct grid *grid, int of) { grid->number = grid->number / of; }

void relax(const struct grid *grid, double *u, int n, int steps, int left, int right) {
  for (int step = 0; step < steps; step++) {
    MPI_Sendrecv(u + 1, 1, MPI_DOUBLE, left, 0, u + n - 1, 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 1; i < n - 1; i++)
      u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (grid->number == 0)
      printf("sweep %d: %g\n", step, u[1]);
  }
}
