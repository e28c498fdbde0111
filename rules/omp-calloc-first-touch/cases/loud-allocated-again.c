// flags: -fopenmp
// A block that is given back and taken again holds what was in it: calloc writes its zeros each time.
#include <stdlib.h>

double relax(const double *from, size_t n, int steps) {
  double sum = 0;
  for (int s = 0; s < steps; s++) {
    // expect: omp-calloc-first-touch medium "may write" "line 11"
    double *next = calloc(n, sizeof *next);
#pragma omp parallel for
    for (size_t i = 1; i < n - 1; i++)
      next[i] = 0.5 * (from[i - 1] + from[i + 1]);
#pragma omp parallel for reduction(+ : sum)
    for (size_t i = 0; i < n; i++)
      sum += next[i];
    free(next);
  }
  return sum;
}
