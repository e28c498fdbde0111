// flags: -fopenmp
// Once before the iterations of a solver, which the team goes through a hundred times for each.
#include <stdio.h>
#include <stdlib.h>

static void solve(double *x, double *r, const double *b, int n) {
  for (int i = 0; i < n; i++)
    x[i] = 0.1 * b[i];
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    r[i] = b[i] - x[i];
  for (int it = 0; it < 200; it++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      r[i] = 0.5 * r[i] + 1e-3;
  }
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    x[i] += r[i];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100000;
  double *x = calloc(n, sizeof *x), *r = calloc(n, sizeof *r), *b = calloc(n, sizeof *b);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    x[i] = b[i] = r[i] = 1.0 / (i + 1);
  for (int step = 0; step < 5; step++)
    solve(x, r, b, n);
  printf("%.6f\n", x[n / 2]);
  return 0;
}
