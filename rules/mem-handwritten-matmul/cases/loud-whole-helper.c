// The same helper, given the whole matrices at once.
void multiply_block(int n, int rows, int columns, int inner, const double *a, const double *b, double *c) {
  // expect: mem-handwritten-matmul medium "every iteration over 'j' fetches a whole factor again" " of 'a' and 'b'"
  for (int j = 0; j < columns; j++)
    for (int k = 0; k < inner; k++)
      for (int i = 0; i < rows; i++)
        c[i + j * n] += a[i + k * n] * b[k + j * n];
}

void multiply(int n, const double *a, const double *b, double *c) { multiply_block(n, n, n, n, a, b, c); }
