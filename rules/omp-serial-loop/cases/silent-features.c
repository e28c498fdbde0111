// flags: -fopenmp
// Means of the columns: the team goes over all rows of each, one thread over the few sums that come out.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int rows = argc > 1 ? atoi(argv[1]) : 100, n = argc > 2 ? atoi(argv[2]) : 20000;
  double *x = malloc((size_t)rows * n * sizeof *x), *sum = calloc(n, sizeof *sum), *mean = calloc(n, sizeof *mean);
#pragma omp parallel for
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < n; j++)
      x[(size_t)i * n + j] = 1.0 / (i + j + 1);
  for (int step = 0; step < 20; step++) {
#pragma omp parallel for
    for (int j = 0; j < n; j++) {
      double s = 0.0;
      // expect: mem-strided-inner-loop
      for (int i = 0; i < rows; i++)
        s += x[(size_t)i * n + j];
      sum[j] = s;
    }
    for (int j = 0; j < n; j++)
      mean[j] = 0.9 * mean[j] + 0.1 * sum[j] / rows;
  }
  printf("%.6f\n", mean[n / 2]);
  return 0;
}
