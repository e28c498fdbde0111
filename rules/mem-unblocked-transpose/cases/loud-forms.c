// Flat arrays, rows behind pointers, complex numbers, and a turn of a volume.
#include <complex.h>

void flat(double *restrict to, const double *restrict from, int n) {
  for (int i = 0; i < n; i++)
    // expect: mem-unblocked-transpose medium "from"
    for (int j = 0; j < n; j++)
      to[i * n + j] = from[j * n + i];
}

void rows(double **to, double **from, int n) {
  for (int i = 0; i < n; i++)
    // expect: mem-unblocked-transpose medium "from"
    for (int j = 0; j < n; j++)
      to[i][j] = from[j][i];
}

void pencils(double complex *restrict out, const double complex *restrict in, int nx, int nz) {
  for (int x = 0; x < nx; x++)
    // expect: mem-unblocked-transpose medium "out"
    for (int z = 0; z < nz; z++)
      out[x * nz + z] = in[z * nx + x];
}

void volume(double *restrict out, const double *restrict in, int nx, int ny, int nz) {
  for (int x = 0; x < nx; x++)
    for (int y = 0; y < ny; y++)
      // expect: mem-unblocked-transpose medium "out"
      for (int z = 0; z < nz; z++)
        out[(x * ny + y) * nz + z] = 0.5 * in[(z * ny + y) * nx + x];
}
