// flags: -fopenmp
// The loop is in a region, where one thread runs it on purpose, and in another function that a team calls.
#include <stdio.h>
#include <stdlib.h>

static void each(double *x, const double *y, int n) {
#pragma omp for
  for (int i = 0; i < n; i++)
    x[i] += 1e-9 * y[i];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 400000;
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
  for (int step = 0; step < 50; step++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      y[i] = 0.5 * (x[i - 1] + x[i + 1]) + 1e-3;
#pragma omp parallel
    {
#pragma omp single
      for (int i = 0; i < n; i++)
        x[i] = y[i];
      each(x, y, n);
    }
  }
  printf("%.6f\n", x[n / 2]);
  return 0;
}
