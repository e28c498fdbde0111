// flags: -fopenmp
// The team needs the zeros, and large blocks from calloc are fresh pages that nobody has written yet.
#include <stdlib.h>

double *accumulate(const double *weights, size_t count, int repeats) {
  double *sums = calloc(count, sizeof *sums);
  if (sums == NULL)
    return NULL;
  for (int r = 0; r < repeats; r++) {
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; i++)
      sums[i] += weights[i] * r;
  }
  return sums;
}
