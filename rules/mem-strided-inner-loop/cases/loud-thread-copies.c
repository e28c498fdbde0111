// flags: -fopenmp
// One stream for each thread, and the loop around walks along all of them: their lines last.
#include <omp.h>

void combine(double *restrict sums, const double *restrict copies, int n) {
  int threads = omp_get_max_threads();
#pragma omp parallel for
  for (int j = 0; j < n; j++)
    // expect: mem-strided-inner-loop low "8 * n bytes"
    for (int t = 0; t < threads; t++)
      sums[j] += copies[t * n + j];
}

// Of layers there may be any number.
void flatten(double *restrict sums, const double *restrict layers, int n, int depth) {
#pragma omp parallel for
  for (int j = 0; j < n; j++)
    // expect: mem-strided-inner-loop medium "8 * n bytes"
    for (int k = 0; k < depth; k++)
      sums[j] += layers[k * n + j];
}
