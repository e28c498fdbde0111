#include "solver.h"
#include <math.h>

double dot(const double *a, const double *b, int n) {
  double mine = 0.0;
  for (int i = 0; i < n; i++)
    mine += a[i] * b[i];
  return total(mine);
}

double norm(const double *a, int n) { return sqrt(dot(a, a, n)); }

double most(const double *a, int n) {
  double mine = 0.0;
  for (int i = 0; i < n; i++)
    mine = fmax(mine, fabs(a[i]));
  return highest(mine);
}

void apply(double *r, const double *p, double a, int n) {
  for (int i = 0; i < n; i++)
    r[i] -= a * p[i];
}
