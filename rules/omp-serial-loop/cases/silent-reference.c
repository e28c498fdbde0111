// flags: -fopenmp
// The same steps once more on one thread, to compare with: no team has a part in those.
#include <stdio.h>
#include <stdlib.h>

static void advance(double *x, double *y, int n) {
  for (int step = 0; step < 50; step++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      y[i] = 0.5 * (x[i - 1] + x[i + 1]) + 1e-3;
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      x[i] = y[i];
  }
}

static void compare(double *x, double *y, int n) {
  for (int step = 0; step < 50; step++) {
    for (int i = 1; i < n - 1; i++)
      y[i] = 0.5 * (x[i - 1] + x[i + 1]) + 1e-3;
    for (int i = 1; i < n - 1; i++)
      x[i] = y[i];
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 400000;
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *z = calloc(n, sizeof *z);
  advance(x, y, n);
  compare(z, y, n);
  printf("%.6f\n", x[n / 2] - z[n / 2]);
  return 0;
}
