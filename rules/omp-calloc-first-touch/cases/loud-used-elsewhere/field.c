// flags: -fopenmp
// Whether a team uses the zeros, another file knows.
#include "field.h"
#include <stdlib.h>
#include <string.h>

double *zeros(void) {
  double *a = malloc(CELLS * sizeof(double));
  if (a == NULL)
    exit(1);
  // expect: omp-calloc-first-touch high "memset writes 'a'" fix
  memset(a, 0, CELLS * sizeof(double));
  return a;
}
