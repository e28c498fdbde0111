// flags: -fopenmp
#include "field.h"
#include <stdio.h>
#include <stdlib.h>

void spread(double *field) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < CELLS; i++)
    field[i] = 0.5 * field[i] + i;
}

int main(void) {
  double *field = zeros();
  for (int step = 0; step < 20; step++)
    spread(field);
  printf("%.6e\n", field[1234]);
  free(field);
  return 0;
}
