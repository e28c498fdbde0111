// flags: -fopenmp
// What only the inner one of two collapsed loops walks over, each thread reads whole.
#include <stdlib.h>

void shift(double *field, int rows, int columns, int steps) {
  double *by = malloc(columns * sizeof(double));
  for (int x = 0; x < columns; x++)
    by[x] = 0.5 * x;
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for collapse(2)
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < columns; x++)
        field[(long)y * columns + x] += by[x];
  }
  free(by);
}
