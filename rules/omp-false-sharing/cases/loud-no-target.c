// flags: -fopenmp
// As silent-target.c, for a team of processors.
#include <omp.h>

void sum_blocks(const float *values, float *sums, int length) {
  float part[256];
#pragma omp parallel
  {
    int t = omp_get_thread_num();
    part[t] = 0;
    for (int i = t; i < length; i += 256)
      // expect: omp-false-sharing
      part[t] += values[i];
    sums[t] = part[t];
  }
}
