// flags: -fopenmp
// The length comes from the callers, from a clamp, or from two collapsed loops.
#include <stddef.h>

static void scale(double *v, size_t n, double by) {
  // expect: omp-small-loop high
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < n; i++)
    v[i] *= by;
}

void relax(double *momentum, double *energy, int steps) {
  for (int s = 0; s < steps; s++) {
    scale(momentum, 3, 0.5);
    scale(energy, 19, 0.25);
  }
}

void stress(double tensor[3][3], const double *delta) {
  // expect: omp-small-loop medium
#pragma omp parallel for collapse(2)
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      tensor[i][j] += delta[i] * delta[j];
}
