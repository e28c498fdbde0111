// Tiles that do not stand for the plain loops: both run, or they turn another matrix.
static int least(int a, int b) { return a < b ? a : b; }

void both(double *restrict to, const double *restrict from, int n, int tile) {
  if (tile < n)
    for (int ii = 0; ii < n; ii += tile)
      for (int jj = 0; jj < n; jj += tile)
        for (int i = ii; i < least(ii + tile, n); i++)
          for (int j = jj; j < least(jj + tile, n); j++)
            to[i * n + j] = from[j * n + i];
  for (int i = 0; i < n; i++)
    // expect: mem-unblocked-transpose medium "from"
    for (int j = 0; j < n; j++)
      to[i * n + j] += 0.5 * from[j * n + i];
}

void other(double *restrict to, const double *restrict from, const double *restrict last, int n, int tile) {
  if (tile < n) {
    for (int ii = 0; ii < n; ii += tile)
      for (int jj = 0; jj < n; jj += tile)
        for (int i = ii; i < least(ii + tile, n); i++)
          for (int j = jj; j < least(jj + tile, n); j++)
            to[i * n + j] = last[j * n + i];
  } else {
    for (int i = 0; i < n; i++)
      // expect: mem-unblocked-transpose medium "from"
      for (int j = 0; j < n; j++)
        to[i * n + j] = from[j * n + i];
  }
}
