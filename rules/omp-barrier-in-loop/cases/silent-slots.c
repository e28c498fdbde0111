// flags: -fopenmp
// Every thread leaves a partial sum, then every thread reads all of them.
#include <omp.h>

static double partial[64][8];

void centre(double *values, int count, int steps) {
#pragma omp parallel num_threads(8)
  for (int step = 0; step < steps; step++) {
    const int me = omp_get_thread_num();
    double sum = 0.0;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < count; i++)
      sum += values[i];
    partial[me][0] = sum;
#pragma omp barrier
    double all = 0.0;
    for (int t = 0; t < omp_get_num_threads(); t++)
      all += partial[t][0];
#pragma omp barrier
#pragma omp for schedule(static) nowait
    for (int i = 0; i < count; i++)
      values[i] -= all / count;
  }
}
