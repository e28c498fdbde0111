// flags: -fopenmp
// Behind the loop each thread frees what is its own, and meets the others at the region's end; once, at the start of
// the program, two fields are set.
#include <stdio.h>
#include <stdlib.h>

static void smooth(double *x, int rows, int n) {
#pragma omp parallel
  {
    double *old = malloc(n * sizeof *old);
#pragma omp for schedule(static)
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < n; j++)
        old[j] = x[(size_t)i * n + j];
      for (int j = 1; j < n - 1; j++)
        x[(size_t)i * n + j] = 0.5 * (old[j - 1] + old[j + 1]);
    }
    free(old);
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  double *x = malloc((size_t)n * n * sizeof *x), *y = malloc((size_t)n * n * sizeof *y);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        x[(size_t)i * n + j] = 1.0 / (i + j + 1);
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        y[(size_t)i * n + j] = 1.0 / (i + j + 1);
  }
  for (int step = 0; step < 20; step++)
    smooth(x, n, n);
  printf("%.6f\n", x[n / 2] + y[n / 3]);
  return 0;
}
