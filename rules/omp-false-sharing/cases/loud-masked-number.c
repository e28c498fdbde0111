// flags: -fopenmp
// The number of the thread, kept within the array.
#include <omp.h>

void count(int *counts, int *others, int *more, const double *values, long n, double least) {
#pragma omp parallel
  {
    const int slot = omp_get_thread_num() % 64;
    int place;
    place = omp_get_thread_num() & 31;
#pragma omp for
    for (long i = 0; i < n; i++)
      if (values[i] > least) {
        // expect: omp-false-sharing high "4 bytes apart"
        counts[omp_get_thread_num() & 63]++;
        // expect: omp-false-sharing high "4 bytes apart"
        others[slot]++;
        // expect: omp-false-sharing high "4 bytes apart"
        more[place]++;
      }
  }
}
