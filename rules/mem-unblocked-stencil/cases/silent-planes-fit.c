// Planes of 120 x 120, and rows of a plane of run-time size: both stay in the cache.
#include <stddef.h>

#define N 120

double a[N][N][N], b[N][N][N];

void smooth(void) {
  for (int i = 1; i < N - 1; i++)
    for (int j = 1; j < N - 1; j++)
      for (int k = 1; k < N - 1; k++)
        b[i][j][k] = 0.125 * (a[i + 1][j][k] + a[i - 1][j][k] + a[i][j + 1][k] + a[i][j - 1][k] + a[i][j][k + 1] +
                              a[i][j][k - 1] + 2 * a[i][j][k]);
}

void smooth_plane(size_t rows, size_t columns, const double *restrict in, double *restrict out) {
  for (size_t i = 1; i < rows - 1; i++)
    for (size_t j = 1; j < columns - 1; j++)
      out[i * columns + j] = 0.25 * (in[(i - 1) * columns + j] + in[(i + 1) * columns + j] + in[i * columns + j - 1] +
                                     in[i * columns + j + 1]);
}
