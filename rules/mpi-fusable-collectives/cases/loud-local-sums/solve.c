// Sums of products behind functions of another unit.
#include <math.h>

double dot(int n, const double *a, const double *b);
double countedDot(int n, const double *a, const double *b);

double iterate(int n, double *r, double *z, const double *d, double least) {
  double square = 1, now = 0;
  while (square > least) {
    for (int i = 0; i < n; i++) {
      z[i] = r[i] / d[i];
      r[i] -= 0.5 * z[i];
    }
    // expect: mpi-fusable-collectives medium "2 calls of MPI_Allreduce in a row" "that of line 16 could join this one"
    square = dot(n, r, r);
    now += dot(n, r, z);
  }
  return now;
}

// The second one is made of the first one's result, or reads what that has changed.
double project(int n, double *v, const double *w, int steps) {
  double length = 1;
  for (int step = 0; step < steps; step++) {
    const double part = dot(n, v, w);
    for (int i = 0; i < n; i++)
      v[i] -= part * w[i];
    length = sqrt(dot(n, v, v));
  }
  return length;
}

double count(int n, const double *v, const double *w, int steps) {
  double last = 0;
  for (int step = 0; step < steps; step++) {
    last += countedDot(n, v, w);
    last += countedDot(n, v, v);
  }
  return last;
}
