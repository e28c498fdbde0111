// flags: -fopenmp
// What the outer one of two collapsed loops walks over, each thread has its part of.
#include <stdlib.h>

void shift(double *sum, int rows, int columns, int steps) {
  double *field = malloc((long)rows * columns * sizeof(double));
  // expect: omp-serial-first-touch medium "'field'"
  for (long i = 0; i < (long)rows * columns; i++)
    field[i] = 0.5 * i;
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for collapse(2)
    for (int y = 0; y < rows; y++)
      for (int x = 0; x < columns; x++)
        sum[(long)y * columns + x] += field[(long)y * columns + x];
  }
  free(field);
}
