// flags: -fopenmp
// The norm is added up by one thread in each iteration.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 400000;
  double *x = malloc(n * sizeof *x), *r = malloc(n * sizeof *r), norm = 1.0;
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    x[i] = r[i] = 1.0 / (i + 1);
  for (int step = 0; step < 30 && norm > 1e-9; step++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      r[i] = 0.5 * r[i] + 1e-3 * x[i];
    double sum = 0.0;
    // expect: omp-serial-loop medium "reduction(+:sum)" "another order" unsafe-fix
    for (int i = 0; i < n; i++)
      sum += r[i] * r[i];
    norm = sqrt(sum);
  }
  printf("%.6f\n", norm);
  return 0;
}
