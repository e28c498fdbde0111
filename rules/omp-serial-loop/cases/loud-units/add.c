// flags: -fopenmp
#include "vectors.h"

void add(double *to, const double *what, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    to[i] += 0.5 * what[i];
}
