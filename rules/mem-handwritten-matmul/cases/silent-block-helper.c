// The helper works on what its caller gives it: blocks of a larger product.
static int least(int a, int b) { return a < b ? a : b; }

void multiply_block(int n, int rows, int columns, int inner, const double *a, const double *b, double *c) {
  for (int j = 0; j < columns; j++)
    for (int k = 0; k < inner; k++)
      for (int i = 0; i < rows; i++)
        c[i + j * n] += a[i + k * n] * b[k + j * n];
}

void multiply(int n, int block, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i += block)
    for (int j = 0; j < n; j += block)
      for (int k = 0; k < n; k += block)
        multiply_block(n, least(block, n - i), least(block, n - j), least(block, n - k), a + i + k * n, b + k + j * n,
                       c + i + j * n);
}
