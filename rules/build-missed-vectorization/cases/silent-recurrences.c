// Loops that depend on themselves: no assumption makes vectors of them.
#include <stddef.h>
#include <stdio.h>

// A prefix sum.
static void accumulate(double *v, size_t n) {
  for (size_t i = 1; i < n; i++)
    v[i] += v[i - 1];
}

// A three-term recurrence through memory.
static void chebyshev(double *t, double x, int n) {
  t[0] = 1.0;
  t[1] = x;
  for (int i = 2; i < n; i++)
    t[i] = 2.0 * x * t[i - 1] - t[i - 2];
}

// A linear search.
static int position(const double *v, double wanted, int n) {
  for (int i = 0; i < n; i++)
    if (v[i] * 2.0 == wanted)
      return i;
  return -1;
}

// Tridiagonal elimination.
static void eliminate(double *d, const double *l, const double *u, double *r, int n) {
  for (int i = 1; i < n; i++) {
    const double w = l[i] / d[i - 1];
    d[i] -= w * u[i - 1];
    r[i] -= w * r[i - 1];
  }
}

int main(void) {
  static double a[4000], b[4000], c[4000], d[4000];
  int where = 0;
  for (int i = 0; i < 4000; i++)
    a[i] = b[i] = c[i] = d[i] = 1.0 + i % 5;
  for (int step = 0; step < 8; step++) {
    accumulate(a, 4000);
    chebyshev(b, 0.3, 4000);
    where += position(a, 7.0, 4000);
    eliminate(c, a, b, d, 4000);
  }
  printf("%g %g %g %d\n", a[9], b[9], d[9], where);
  return 0;
}
