// Products that take one half of a symmetric factor, or make one half of the result: a general product would read or
// write the other half.
enum { N = 600 };

void times_symmetric(double c[N][N], const double a[N][N], const double b[N][N]) {
  // expect: mem-handwritten-matmul high "cblas_dsymm" "cblas_dtrmm" "gemm would read its other half"
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      // expect: mem-strided-inner-loop high "4800 bytes"
      for (int k = 0; k < i; k++) {
        c[k][j] += b[i][j] * a[i][k];
        sum += b[k][j] * a[i][k];
      }
      c[i][j] += b[i][j] * a[i][i] + sum;
    }
}

void rank_two(double c[N][N], const double a[N][N], const double b[N][N]) {
  // expect: mem-handwritten-matmul high "cblas_dsyr2k" "gemm would write the other half"
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      // expect: mem-strided-inner-loop high "4800 bytes"
      for (int j = 0; j <= i; j++)
        c[i][j] += a[j][k] * b[i][k] + b[j][k] * a[i][k];
}

void general(double c[N][N], const double a[N][N], const double b[N][N]) {
  // expect: mem-handwritten-matmul high "call cblas_dgemm"
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      // expect: mem-strided-inner-loop high "4800 bytes" unsafe-fix
      for (int k = 0; k < N; k++)
        c[i][j] += a[i][k] * b[k][j];
}
