// The distance of each solution from the known one is printed, and nothing else happens: a check. Where it is kept,
// something needs it.
#include <stdio.h>

void print_errors(const float *found, const float *known, int n, int solutions) {
  for (int j = 0; j < solutions; j++) {
    double error = 0.0;
    // expect: build-missed-vectorization low "the floating-point result 'error' is combined in a fixed order"
    for (int i = 0; i < n; i++)
      error += (found[j * n + i] - known[i]) * (found[j * n + i] - known[i]);
    printf("%g\n", error);
  }
}

void keep_errors(const float *found, const float *known, int n, int solutions, double *restrict errors) {
  for (int j = 0; j < solutions; j++) {
    double error = 0.0;
    // expect: build-missed-vectorization high "the floating-point result 'error' is combined in a fixed order"
    for (int i = 0; i < n; i++)
      error += (found[j * n + i] - known[i]) * (found[j * n + i] - known[i]);
    printf("%g\n", error);
    errors[j] = error;
  }
}
