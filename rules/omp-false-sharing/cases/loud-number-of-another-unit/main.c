// flags: -fopenmp
// Who says which thread it is stands in another file.
#include "team.h"

void by_tag(const int *tags, const double *values, int size, int kinds, double *sums) {
#pragma omp parallel
  {
    const int thread = own_number();
    double *sum = &sums[thread * kinds];
#pragma omp for schedule(static)
    for (int i = 0; i < size; i++)
      // expect: omp-false-sharing medium "8 * kinds bytes"
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
        // expect: omp-false-sharing high "4 bytes"
        count[thread]++;
  }
}
