// Leading dimensions make no library: neither scale factors nor a name of one.
void multiply(int m, int n, int k, const double *a, int lda, const double *b, int ldb, double *c, int ldc) {
  // expect: mem-handwritten-matmul medium
  for (int column = 0; column < n; column++)
    for (int inner = 0; inner < k; inner++)
      for (int row = 0; row < m; row++)
        c[row + column * ldc] += b[inner + column * ldb] * a[row + inner * lda];
}
