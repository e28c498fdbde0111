// A condition chooses between the plain product and the same in blocks.
static int least(int a, int b) { return a < b ? a : b; }

void multiply(int n, int block, const double *a, const double *b, double *c) {
  if (block > 0) {
    for (int ii = 0; ii < n; ii += block)
      for (int kk = 0; kk < n; kk += block)
        for (int jj = 0; jj < n; jj += block)
          for (int i = ii; i < least(ii + block, n); i++)
            for (int k = kk; k < least(kk + block, n); k++)
              for (int j = jj; j < least(jj + block, n); j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
  } else {
    // expect: mem-handwritten-matmul low "'a' and 'b'"
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
          c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}
