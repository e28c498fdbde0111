// flags: -fopenmp
// What the variable is set to before the loop is not what it is in the next iteration, or after a branch.
#include <stdlib.h>

void follow(const int *next, double *out, int n, int steps) {
  int i, j, k, t;
  double *a = malloc((size_t)n * n * sizeof *a);
  for (i = 0; i < n; i++) {
    k = i;
    for (j = 0; j < 3; j++) {
      a[k] = 1.0;
      k = next[k];
    }
  }
  for (i = 0; i < n; i++) {
    if (next[i] > 0)
      k = i;
    a[k] = 1.0;
  }
  for (t = 0; t < steps; t++) {
#pragma omp parallel for
    for (i = 0; i < n; i++)
      out[i] += a[i];
  }
  free(a);
}
