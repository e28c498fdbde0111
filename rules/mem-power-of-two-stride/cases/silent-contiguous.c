// Powers of two that cost nothing: rows in the order of memory, and a blocked transpose of padded tiles.
#include <stddef.h>

#define N 2048

float a[N][N], b[N][N], c[N][N];

void triad(float factor) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      a[i][j] = b[i][j] + factor * c[i][j];
}

void pack_tile(float (*restrict tile)[40], int row, int column) {
  for (int i = 0; i < 32; i++)
    for (int j = 0; j < 32; j++)
      tile[j][i] = a[row + i][column + j];
}

void run_time_sizes(size_t n, const float *restrict in, float *restrict out) {
  for (size_t i = 0; i < n; i++)
    // expect: mem-unblocked-transpose medium "out"
    for (size_t j = 0; j < n; j++)
      out[j * n + i] = in[i * n + j];
}
