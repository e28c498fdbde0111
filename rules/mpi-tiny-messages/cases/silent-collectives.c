// Broadcasts and reductions that must come one after another: what one call takes is computed in the loop, often from
// what the call before it brought; or another rank speaks each time.
#include <math.h>
#include <mpi.h>

int converge(double *u, double *residuals, int n, int steps, double tolerance, MPI_Comm comm) {
  int step = 0;
  for (; step < steps; step++) {
    double mine = 0.0, all = 0.0;
    for (int i = 1; i < n - 1; i++) {
      double change = 0.5 * (u[i - 1] - 2.0 * u[i] + u[i + 1]);
      mine += change * change;
      u[i] += change;
    }
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm);
    residuals[step] = all;
    if (all < tolerance)
      break;
  }
  return step;
}

void orthogonalise(double *w, const double *basis, double *h, int n, int count, MPI_Comm comm) {
  for (int k = 0; k < count; k++) {
    double mine = 0.0;
    for (int i = 0; i < n; i++)
      mine += basis[k * n + i] * w[i];
    MPI_Allreduce(&mine, &h[k], 1, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < n; i++)
      w[i] -= h[k] * basis[k * n + i];
  }
}

void everybody_speaks(double *values, int ranks, MPI_Comm comm) {
  for (int r = 0; r < ranks; r++)
    // expect: mpi-handmade-collective medium "MPI_Allgather"
    MPI_Bcast(&values[r], 1, MPI_DOUBLE, r, comm);
}

void prefix(double *level, int levels, MPI_Comm comm) {
  for (int k = 0; k + 1 < levels; k++)
    MPI_Allreduce(&level[k], &level[k + 1], 1, MPI_DOUBLE, MPI_SUM, comm);
}

void large_planes(double *planes, int count, MPI_Comm comm) {
  for (int k = 0; k < count; k++)
    MPI_Bcast(&planes[k * 4096], 4096, MPI_DOUBLE, 0, comm);
}
