// flags: -fopenmp
// The team adds up once what one thread has gone over for each pair.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int points = argc > 1 ? atoi(argv[1]) : 40000, pairs = argc > 2 ? atoi(argv[2]) : 100;
  double *rho = calloc(points, sizeof *rho), *w = calloc(pairs, sizeof *w), q = 0.0;
  for (int j = 0; j < pairs; j++)
    w[j] = 1.0 / (j + 1);
  for (int j = 0; j < pairs; j++)
    // expect: omp-serial-loop medium "'rho'" unsafe-fix
    for (int p = 0; p < points; p++)
      rho[p] += w[j] / (p + j + 1);
#pragma omp parallel for reduction(+ : q)
  for (int p = 0; p < points; p++)
    q += rho[p];
  printf("%.6f\n", q);
  return 0;
}
