// flags: -fopenmp
// All threads start the measured phase together.
#include <omp.h>

void measure(double *values, int count, int steps, double *seconds) {
#pragma omp parallel
  for (int step = 0; step < steps; step++) {
    double local = step;
    for (int n = 0; n < 1000; n++)
      local = local * 0.5 + 1.0;
#pragma omp barrier
    const double start = omp_get_wtime();
#pragma omp for schedule(static)
    for (int i = 0; i < count; i++)
      values[i] += local;
#pragma omp master
    seconds[step] = omp_get_wtime() - start;
  }
}
