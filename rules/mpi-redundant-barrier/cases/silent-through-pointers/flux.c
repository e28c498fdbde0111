// One of the functions that the solver may call through its pointer reads what another rank has written.
#include "flux.h"

#include <stdio.h>

static double central(double a, double b) { return 0.5 * (b - a); }

static double upwind(double a, double b) {
  FILE *f = fopen("limits.txt", "r");
  if (f) {
    fscanf(f, "%lf", &a);
    fclose(f);
  }
  return a > b ? a : b;
}

void choose(struct solver *s, int scheme) { s->flux = scheme ? central : upwind; }

void exchange(double *u, int n, int left, int right) {
  MPI_Sendrecv(&u[n], 1, MPI_DOUBLE, right, 0, &u[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 1, &u[n + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
