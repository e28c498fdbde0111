// flags: -fopenmp
// Each tenth step and whenever it is asked for.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 400000;
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
  for (int step = 0; step < 50; step++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      y[i] = 0.5 * (x[i - 1] + x[i + 1]) + 1e-3;
    if (step % 10 == 0 || y[n / 2] > 1e-3) {
      // expect: omp-serial-loop high "'y'" unsafe-fix
      for (int i = 0; i < n; i++)
        x[i] = y[i];
    }
  }
  printf("%.6f\n", x[n / 2]);
  return 0;
}
