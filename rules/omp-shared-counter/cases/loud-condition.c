// flags: -fopenmp
// Which iterations come to it, the data say.
#include <math.h>

long far(const double *x, const double *y, long n, double limit) {
  long count = 0;
#pragma omp parallel for
  for (long i = 0; i < n; i++)
    if (sqrt(x[i] * x[i] + y[i] * y[i]) > limit)
      // expect: omp-shared-counter medium "reduction(+:count)" no-fix
      count++;
  return count;
}

long outliers(const double *x, long n, double limit) {
  long count = 0;
  double worst = 1.0;
#pragma omp parallel for
  for (long i = 0; i < n; i++) {
    if (x[i] > limit)
      // expect: omp-shared-counter medium "reduction(+:count)" no-fix
      count++;
    if (x[i] < 0.0)
      continue;
    // expect: omp-shared-counter medium "reduction(*:worst)" no-fix
    worst *= x[i];
  }
  return worst > 2.0 ? count : -count;
}
