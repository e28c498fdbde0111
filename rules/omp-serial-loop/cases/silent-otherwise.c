// flags: -fopenmp
// One thread does it where there is but one: the team's loop is the other way of the same choice.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static void update(double *x, const double *y, int n) {
  if (omp_get_max_threads() > 1) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] = 0.5 * x[i] + y[i];
  } else {
    for (int i = 0; i < n; i++)
      x[i] = 0.5 * x[i] + y[i];
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 400000;
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    x[i] = y[i] = 1.0 / (i + 1);
  for (int step = 0; step < 50; step++)
    update(x, y, n);
  printf("%.6f\n", x[n / 2]);
  return 0;
}
