// flags: -fopenmp
// Both ends of a triangle, an inner loop two levels down, and a loop of a region of its own.
#include <math.h>
#include <stddef.h>

void lower(double *restrict s, const double *restrict x, int n) {
  // expect: omp-load-imbalance medium "line 10" "last thread" "schedule(static, 1)" no-fix
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      s[(size_t)i * n + j] = x[i] * x[j];
}

void pairs(double *restrict f, const double *restrict x, int n) {
  // expect: omp-load-imbalance medium "line 19" "first thread"
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n - 1; i++) {
    double sum = 0.0;
    for (int j = i + 1; j < n; j++)
      sum += exp(x[i] - x[j]);
    f[i] = sum;
  }
}

void moments(double *restrict m, const double *restrict w, int groups, int cells) {
#pragma omp parallel
  {
    // expect: omp-load-imbalance medium "line 31"
#pragma omp for
    for (int g = 0; g < groups; g++)
      for (int from = 0; from < g; from++)
        for (int c = 0; c < cells; c++)
          m[(size_t)g * cells + c] += w[g * groups + from];
  }
}

static double table[900][900];

void symmetric(void) {
  // expect: omp-load-imbalance high "last thread"
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 900; i++)
    for (int j = 0; j < i; j++)
      table[i][j] = sqrt(i + 0.5 * j);
}

// Nothing else rests on who got which block.
void histogram(long *bins, const double *x, int n) {
#pragma omp parallel
  {
    long mine[64] = {0};
    // expect: omp-load-imbalance medium "first thread"
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; i++)
      for (int j = i + 1; j < n; j++)
        mine[(int)(x[i] - x[j]) & 63]++;
#pragma omp critical
    for (int k = 0; k < 64; k++)
      bins[k] += mine[k];
  }
}
