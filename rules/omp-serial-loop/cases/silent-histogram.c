// flags: -fopenmp
// Whole numbers are counted, a few cycles for each element: copies for each thread would cost as much.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 400000;
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
  int *to = calloc(n, sizeof *to), *count = calloc(n, sizeof *count);
  for (int step = 0; step < 50; step++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++) {
      y[i] = 0.5 * (x[i - 1] + x[i + 1]) + 1e-3;
      to[i] = (int)(y[i] * 10) % n;
    }
    for (int i = 0; i < n; i++)
      count[to[i]]++;
  }
  printf("%.6f %d\n", x[n / 2], count[0]);
  return 0;
}
