// flags: -fopenmp
// Of two loops of a team a run takes one: whether the array is used again and again, and thus large, is not said.
#include <stdlib.h>

double *sums(const double *values, const long *rows, int n) {
  double *sum = malloc(n * sizeof(double));
  // expect: omp-serial-first-touch medium "'sum'"
  for (int i = 0; i < n; i++)
    sum[i] = 1.0;
  if (values) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
      sum[i] += values[rows[i]];
  } else {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
      sum[i] += rows[i + 1] - rows[i];
  }
  return sum;
}

double *both(const double *values, const long *rows, int n) {
  double *sum = malloc(n * sizeof(double));
  // expect: omp-serial-first-touch medium "'sum'"
  for (int i = 0; i < n; i++)
    sum[i] = 1.0;
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++)
    sum[i] += values[rows[i]];
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++)
    sum[i] += rows[i + 1] - rows[i];
  return sum;
}
