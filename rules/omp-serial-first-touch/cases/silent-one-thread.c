// flags: -fopenmp
// Inside a parallel region, but one thread does all the work on the array.
#include <stdlib.h>

double *prefix(size_t count) {
  double *sums = malloc(count * sizeof *sums);
  if (sums == NULL)
    return NULL;
  for (size_t i = 0; i < count; i++)
    sums[i] = 1.0;
#pragma omp parallel
  {
#pragma omp single
    for (size_t i = 1; i < count; i++)
      sums[i] += sums[i - 1];
  }
  return sums;
}
