// flags: -fopenmp
#include "field.h"
#include <stdio.h>
#include <stdlib.h>

void damp(double *field) {
  // Rows are shared, and each thread should have filled those that it damps.
#pragma omp parallel for schedule(static)
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      field[i * COLUMNS + j] *= 0.99;
}

int main(void) {
  double *first = wave(), *second = walk();
  for (int step = 0; step < 20; step++) {
    damp(first);
    damp(second);
  }
  printf("%.6e %.6e\n", first[1234], second[1234]);
  free(first);
  free(second);
  return 0;
}
