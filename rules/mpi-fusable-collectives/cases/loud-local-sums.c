// Sums of products: each function adds up what this rank has before it asks all others.
#include <math.h>
#include <mpi.h>

static double dot(int n, const double *a, const double *b) {
  double own = 0, all;
  for (int i = 0; i < n; i++)
    own += a[i] * b[i];
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

int solve(int n, double *x, double *r, double *z, double *p, double *q, const double *d, double least, int most) {
  double before = dot(n, r, z);
  int k;
  for (k = 0; k < most; k++) {
    for (int i = 0; i < n; i++)
      q[i] = d[i] * p[i];
    const double alpha = before / dot(n, p, q);
    for (int i = 0; i < n; i++) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
      z[i] = r[i] / d[i];
    }
    // expect: mpi-fusable-collectives medium "2 calls of MPI_Allreduce in a row" "that of line 27 could join this one"
    const double square = dot(n, r, r);
    const double now = dot(n, r, z);
    if (sqrt(square) < least)
      break;
    for (int i = 0; i < n; i++)
      p[i] = z[i] + now / before * p[i];
    before = now;
  }
  return k;
}
