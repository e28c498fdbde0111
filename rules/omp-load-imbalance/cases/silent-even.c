// flags: -fopenmp
// Iterations that are alike, two triangles that make up for each other, a band, the corner of a triangle, a triangle
// beside which the rest is long, and one that is small.
#include <math.h>
#include <stddef.h>

void whole(double *restrict s, const double *restrict x, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      s[(size_t)i * n + j] = x[i] * x[j];
}

void both(double *restrict f, const double *restrict x, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    for (int j = 0; j < i; j++)
      sum += exp(x[i] - x[j]);
    for (int j = i + 1; j < n; j++)
      sum -= exp(x[j] - x[i]);
    f[i] = sum;
  }
}

void band(double *restrict f, const double *restrict x, int n) {
#pragma omp parallel for
  for (int i = 8; i < n - 8; i++)
    for (int j = i - 8; j <= i + 8; j++)
      f[i] += x[j];
}

void corner(double *restrict s, const double *restrict x, int first, int n) {
#pragma omp parallel for
  for (int i = first; i < n; i++)
    for (int j = 0; j <= i; j++)
      s[(size_t)i * n + j] = x[i] * x[j];
}

static double table[40][40];

void small(void) {
#pragma omp parallel for
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < i; j++)
      table[i][j] = i + 0.5 * j;
}
