// flags: -O2 -fopenmp
// A critical section or an atomic update keeps a loop scalar, whatever is said about its sums; a loop over threads is
// short. The plain sum is the one to name.
#include <omp.h>
#include <stdlib.h>

static double largest(const double *p, const double *q, int n, double *seen) {
  double top = 0.0;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; i++) {
      double sum = p[i] + q[i];
      // expect: omp-critical-section high "a critical section" "'top'"
#pragma omp critical(top)
      if (sum > top)
        top = sum;
    }
#pragma omp single
    *seen = top;
  }
  return top;
}

static double merge(const double *part) {
  const int threads = omp_get_max_threads();
  double sum = 0.0;
  for (int t = 0; t < threads; t++)
    sum += part[t];
  return sum;
}

static double total(const float *p, int n) {
  double sum = 0.0;
  // expect: build-missed-vectorization high "the floating-point result 'sum' is combined in a fixed order"
  // expect: omp-serial-loop medium "reduction(+:sum)" unsafe-fix
  for (int i = 0; i < n; i++)
    sum += p[i];
  return sum;
}

double run(const double *p, const double *q, const double *part, int n, int steps, double *seen) {
  double all = 0.0;
  for (int s = 0; s < steps; s++)
    all += largest(p, q, n, seen) + merge(part) + total(p, n);
  return all;
}
