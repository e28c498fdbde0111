// Dot products of another unit in a row: their local parts can go together. A maximum, what the next product needs, and
// a product of what has changed can not.
#include "solver.h"

int solve(double *r, double *p, const double *q, int n, int steps) {
  double before = 1.0;
  for (int k = 0; k < steps; k++) {
    // expect: mpi-fusable-collectives medium "3 calls of dot, norm in a row" "those of lines 10, 11"
    const double rq = dot(r, q, n);
    const double rr = dot(r, r, n);
    const double size = norm(q, n);
    const double high = most(r, n);
    if (rr < 1e-12 * size || high < 1e-12)
      return k;
    const double pq = dot(p, q, n);
    apply(r, p, rq / (pq * before), n);
    before = dot(r, r, n);
  }
  return steps;
}
