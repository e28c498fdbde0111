// flags: -fopenmp
// Whether a team uses what is filled here, another file knows; how a team can fill it, this one.
#include "field.h"
#include <stdlib.h>

double *wave(void) {
  double *a = malloc((size_t)ROWS * COLUMNS * sizeof(double));
  if (a == NULL)
    exit(1);
  // expect: omp-serial-first-touch high "'a'" "step.c:9" fix
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      a[i * COLUMNS + j] = 0.5 * i - j;
  return a;
}

// Each element is made of the one before.
double *walk(void) {
  double *b = malloc((size_t)ROWS * COLUMNS * sizeof(double));
  if (b == NULL)
    exit(1);
  b[0] = 1.0;
  // expect: omp-serial-first-touch high "'b'" "step.c:9" no-fix
  for (int n = 1; n < ROWS * COLUMNS; n++)
    b[n] = b[n - 1] * 0.999;
  return b;
}
