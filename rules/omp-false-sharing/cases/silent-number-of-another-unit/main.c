// flags: -fopenmp
// Who says which process it is stands in another file.
#include "team.h"

void by_tag(const int *tags, const double *values, int size, int kinds, double *sums) {
#pragma omp parallel
  {
    const int thread = own_number();
    double *sum = &sums[thread * kinds];
#pragma omp for schedule(static)
    for (int i = 0; i < size; i++)
      sum[tags[i]] += values[i];
  }
}

void counters(const int *keys, int size, int *count) {
#pragma omp parallel
  {
    const int thread = own_number();
#pragma omp for
    for (int i = 0; i < size; i++)
      if (keys[i] > 0)
        count[thread]++;
  }
}
