// flags: -fopenmp
// A region within a region: each thread reads the whole table by itself.
#include <stdlib.h>

void waves(double *out, int points, int waves, int steps) {
  double *k = malloc(waves * sizeof(double));
  for (int m = 0; m < waves; m++)
    k[m] = 0.5 * m;
  for (int s = 0; s < steps; s++) {
#pragma omp parallel for
    for (int n = 0; n < points; n++) {
      double sum = 0;
      // expect: omp-region-in-loop medium
#pragma omp parallel for reduction(+ : sum)
      for (int m = 0; m < waves; m++)
        sum += k[m] * n;
      out[n] = sum;
    }
  }
  free(k);
}
