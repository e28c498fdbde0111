// Blocked in all three dimensions, with a remainder at each end.
#define BLOCK 48

static inline int least(int a, int b) { return a < b ? a : b; }

void multiply(int n, const double *a, const double *b, double *c) {
  for (int ii = 0; ii < n; ii += BLOCK)
    for (int kk = 0; kk < n; kk += BLOCK)
      for (int jj = 0; jj < n; jj += BLOCK)
        for (int i = ii; i < least(ii + BLOCK, n); i++)
          for (int k = kk; k < least(kk + BLOCK, n); k++)
            for (int j = jj; j < least(jj + BLOCK, n); j++)
              c[i * n + j] += a[i * n + k] * b[k * n + j];
}
