// A condition chooses between the plain loops and the same in tiles: the program has what would be advised, and may fall back for
// good reasons.
static int least(int a, int b) { return a < b ? a : b; }

void turn(double *restrict to, const double *restrict from, int n, int tile) {
  if (tile < n) {
    for (int ii = 0; ii < n; ii += tile)
      for (int jj = 0; jj < n; jj += tile)
        for (int i = ii; i < least(ii + tile, n); i++)
          for (int j = jj; j < least(jj + tile, n); j++)
            to[i * n + j] = from[j * n + i];
  } else {
    for (int i = 0; i < n; i++)
      // expect: mem-unblocked-transpose medium "from"
      for (int j = 0; j < n; j++)
        to[i * n + j] = from[j * n + i];
  }
}

// In each of many steps, through a small buffer.
void turn_often(double *restrict to, const double *restrict from, int n, int steps) {
  const int side = 16;
  for (int step = 0; step < steps; step++) {
    if (n % side != 0) {
      for (int i = 0; i < n; i++)
        // expect: mem-unblocked-transpose medium "from"
        for (int j = 0; j < n; j++)
          to[i * n + j] += from[j * n + i];
    } else {
      for (int ii = 0; ii < n; ii += side)
        for (int jj = 0; jj < n; jj += side) {
          double tile[16][16];
          for (int j = 0; j < side; j++)
            for (int i = 0; i < side; i++)
              tile[i][j] = from[(jj + j) * n + ii + i];
          for (int i = 0; i < side; i++)
            for (int j = 0; j < side; j++)
              to[(ii + i) * n + jj + j] += tile[i][j];
        }
    }
  }
}
