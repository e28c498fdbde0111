// flags: -fopenmp
// A small array outside of the loop is filled anew by each iteration: every thread gets its own.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 400000;
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
  double parts[3];
  for (int step = 0; step < 50; step++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      y[i] = 0.5 * (x[i - 1] + x[i + 1]) + 1e-3;
    // expect: omp-serial-loop high "private(parts)" unsafe-fix
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < 3; k++)
        parts[k] = y[i] * (k + 1);
      x[i] = parts[0] + parts[1] + parts[2];
    }
  }
  printf("%.6f\n", x[n / 2]);
  return 0;
}
