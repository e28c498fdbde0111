// flags: -fopenmp
// Threads of a device that write side by side write one line together.
#include <omp.h>

void sum_blocks(const float *values, float *sums, int blocks, int length) {
#pragma omp target teams num_teams(blocks) thread_limit(256)
  {
    float part[256];
#pragma omp parallel
    {
      int t = omp_get_thread_num();
      part[t] = 0;
      for (int i = t; i < length; i += 256)
        part[t] += values[i];
      sums[omp_get_team_num() * 256 + t] = part[t];
    }
  }
}
