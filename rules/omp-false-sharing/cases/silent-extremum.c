// flags: -fopenmp
// A new maximum is found less and less often; a count under a condition goes on.
#include <omp.h>

#define THREADS 64
static double most[THREADS], nearest[THREADS];

void extremes(const double *x, int n) {
#pragma omp parallel
  {
    const int t = omp_get_thread_num();
#pragma omp for
    for (int i = 0; i < n; i++) {
      if (x[i] > most[t])
        most[t] = x[i];
      if (x[i] > 0.0 && x[i] < nearest[t])
        nearest[t] = x[i];
    }
  }
}
