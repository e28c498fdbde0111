// flags: -fopenmp
// Beside loops over all numbers of each cell, one thread goes over the cells: their speeds are not so few.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int cells = argc > 1 ? atoi(argv[1]) : 200000, kinds = argc > 2 ? atoi(argv[2]) : 12;
  double *f = calloc((size_t)cells * kinds, sizeof *f), *u = calloc(cells, sizeof *u), *r = calloc(cells, sizeof *r);
  for (int step = 0; step < 20; step++) {
#pragma omp parallel for
    for (int c = 0; c < cells; c++)
      for (int q = 0; q < kinds; q++)
        f[(size_t)c * kinds + q] = 0.5 * f[(size_t)c * kinds + q] + q;
#pragma omp parallel for
    for (int c = 0; c < cells; c++) {
      r[c] = 1.0 + f[(size_t)c * kinds];
      u[c] = f[(size_t)c * kinds + 1] / r[c];
    }
    // expect: omp-serial-loop high "'r'" unsafe-fix
    for (int c = 0; c < cells; c++)
      u[c] += 1e-3 / r[c];
  }
  printf("%.6f\n", u[cells / 2]);
  return 0;
}
