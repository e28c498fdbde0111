// flags: -fopenmp
// A histogram per thread, stored with the thread's number as the fastest index; a cyclic distribution written by hand.
#include <omp.h>
#include <stddef.h>

void histogram(const int *restrict keys, size_t count, int *restrict bins, int threads) {
#pragma omp parallel num_threads(threads)
  {
    int id = omp_get_thread_num();
#pragma omp for schedule(static)
    for (size_t i = 0; i < count; i++)
      // expect: omp-false-sharing high "neighbouring threads" "bins"
      bins[keys[i] * threads + id]++;
  }
}

void axpy(double *y, const double *x, double a, int count) {
#pragma omp parallel
  {
    int threads = omp_get_num_threads();
    for (int i = omp_get_thread_num(); i < count; i += threads)
      // expect: omp-false-sharing high "neighbouring threads"
      y[i] += a * x[i];
  }
}
