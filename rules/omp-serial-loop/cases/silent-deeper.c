// flags: -fopenmp
// One thread scales a row beside loops of the team over the whole matrix: a thousandth of the work.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 2000;
  double *a = calloc((size_t)n * n, sizeof *a), *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
  for (int i = 0; i < n; i++)
    x[i] = 1.0 / (i + 1);
  for (int step = 0; step < 20; step++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      double sum = 0.0;
      for (int j = 0; j < n; j++)
        sum += a[(size_t)i * n + j] * x[j];
      y[i] = sum;
    }
    for (int i = 0; i < n; i++)
      x[i] = 0.5 * x[i] + y[i];
  }
  printf("%.6f\n", x[n / 2]);
  return 0;
}
