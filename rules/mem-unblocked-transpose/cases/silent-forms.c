// What stays in the cache, what another order cures, what is in tiles, products, and a swap that is none.
static double small[64][64], other[64][64];

void fits(void) {
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 64; j++)
      small[i][j] = other[j][i];
}

void tiles(double *restrict to, const double *restrict from, int n) {
  for (int ii = 0; ii < n; ii += 16)
    for (int jj = 0; jj < n; jj += 16)
      for (int i = ii; i < ii + 16; i++)
        for (int j = jj; j < jj + 16; j++)
          to[i * n + j] = from[j * n + i];
}

void along(double *restrict to, const double *restrict from, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      to[i * n + j] = from[i * n + j];
}
