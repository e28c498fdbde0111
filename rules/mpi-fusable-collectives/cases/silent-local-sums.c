// Sums of products of which the second one is made of the first one's result, or is not always asked for.
#include <math.h>
#include <mpi.h>

static double dot(int n, const double *a, const double *b) {
  double own = 0, all;
  for (int i = 0; i < n; i++)
    own += a[i] * b[i];
  MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

void project(int n, double *v, const double *w, int steps) {
  for (int step = 0; step < steps; step++) {
    const double part = dot(n, v, w);
    for (int i = 0; i < n; i++)
      v[i] -= part * w[i];
    const double length = sqrt(dot(n, v, v));
    for (int i = 0; i < n; i++)
      v[i] /= length;
  }
}

double either(int n, const double *v, const double *w, int steps) {
  double last = 0;
  for (int step = 0; step < steps; step++) {
    const double first = dot(n, v, w);
    double second = 1;
    if (step % 3)
      second = dot(n, v, v);
    last += first / second;
  }
  return last;
}

double until(int n, const double *v, double *w, double least) {
  double length = 1;
  while (length > least) {
    length = dot(n, v, w);
    if (length < 0)
      return length;
    for (int i = 0; i < n; i++)
      w[i] *= 0.5;
    length += dot(n, w, w);
  }
  return length;
}
