// flags: -fopenmp
#include <stdlib.h>
#include <string.h>

double *histogram(const double *weights, size_t count, int repeats) {
  double *sums = malloc(count * sizeof *sums);
  if (sums == NULL)
    return NULL;
  // expect: omp-calloc-first-touch medium "line 14" "memset"
  memset(sums, 0, count * sizeof *sums);
#pragma omp parallel
  for (int r = 0; r < repeats; r++) {
#pragma omp for schedule(static) nowait
    for (size_t i = 0; i < count; i++)
      sums[i] += weights[i] * r;
  }
  return sums;
}
