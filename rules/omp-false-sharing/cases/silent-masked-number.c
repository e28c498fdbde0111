// flags: -fopenmp
// Two groups of threads, whose counts are lines apart; what two threads of a group do to each other is another matter.
#include <omp.h>

void count(int *counts, const double *values, long n, double least) {
#pragma omp parallel for
  for (long i = 0; i < n; i++)
    if (values[i] > least)
      counts[omp_get_thread_num() & 32]++;
}
