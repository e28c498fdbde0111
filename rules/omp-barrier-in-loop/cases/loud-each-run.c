// flags: -fopenmp
// Two fields are cleared one after the other each time that the function is called, and no thread needs the other's.
#include <stdio.h>
#include <stdlib.h>

static void clear(double *x, double *y, const double *z, int n) {
#pragma omp parallel
  {
    // expect: omp-barrier-in-loop medium "each time that the region is opened" "nowait" no-fix
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      x[i] = 0.5 * z[i];
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      y[i] = 0.25 * z[i];
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100000;
  double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), *z = malloc(n * sizeof *z);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++)
    x[i] = y[i] = z[i] = 1.0 / (i + 1);
  for (int step = 0; step < 20; step++)
    clear(x, y, z, n);
  printf("%.6f\n", x[n / 2] + y[n / 3]);
  return 0;
}
