#include "solver.h"

double shift;

int solve(double *r, double *p, const double *q, int n, int steps) {
  for (int k = 0; k < steps; k++) {
    const double rr = dot(r, r, n);
    p[0] = rr;
    const double pp = dot(p, p, n);
    const int few = pp < rr ? n / 2 : n;
    const double rq = dot(r, q, few);
    shift = rq;
    const double first = norm(r, n);
    const double second = norm(q, n);
    apply(r, p, first / second, n);
    const double high = most(r, n);
    const double pq = dot(p, q, n);
    apply(r, p, pq / high, n);
  }
  return steps;
}
