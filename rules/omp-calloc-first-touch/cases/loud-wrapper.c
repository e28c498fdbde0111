// flags: -fopenmp
// One function allocates for all, and the team writes all that it gives: nobody needs the zeros.
#include <stdlib.h>

static void *allocate(size_t count, size_t each) {
  // expect: omp-calloc-first-touch medium
  return calloc(count, each);
}

double relax(const double *from, const int *where, size_t n, int steps) {
  double sum = 0;
  for (int s = 0; s < steps; s++) {
    double *next = allocate(n, sizeof *next);
    double *count = malloc(n * sizeof *count);
#pragma omp parallel for
    for (size_t i = 1; i < n - 1; i++)
      next[i] = 0.5 * (from[i - 1] + from[i + 1]);
    for (size_t i = 0; i < n; i++)
      count[where[i]] += next[i];
    sum += count[0];
    free(next);
    free(count);
  }
  return sum;
}
