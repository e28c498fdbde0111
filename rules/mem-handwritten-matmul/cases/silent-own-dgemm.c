// A program's own copy of the routine that the advice would name.
int ref_dgemm(char trans_a, char trans_b, int m, int n, int k, double alpha, const double *a, int lda, const double *b,
              int ldb, double *c, int ldc) {
  if (trans_a != 'N' || trans_b != 'N')
    return 1;
  for (int column = 0; column < n; column++)
    for (int inner = 0; inner < k; inner++)
      for (int row = 0; row < m; row++)
        c[row + column * ldc] += alpha * b[inner + column * ldb] * a[row + inner * lda];
  return 0;
}
