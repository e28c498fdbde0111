// flags: -fopenmp
// Two iterations may write the same element, and the last one counts; or read what another one has added.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 400000;
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *z = calloc(n, sizeof *z);
  int *to = calloc(n, sizeof *to);
  for (int step = 0; step < 50; step++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      y[i] = 0.5 * (x[i - 1] + x[i + 1]) + 1e-3 * z[i];
    for (int i = 0; i < n; i++)
      x[to[i]] = y[i];
    for (int i = 0; i < n; i++)
      z[to[i]] += y[i] * z[i];
  }
  printf("%.6f\n", x[n / 2]);
  return 0;
}
