// flags: -fopenmp
// The compiler keeps the counter in a register: nothing in the loop may alias an int.
#include <omp.h>

void count_all(int *counts, const double *values, long count) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for
    for (long i = 0; i < count; i++)
      counts[thread] += (int)values[i];
  }
}
