// The program's own library of such routines, of which the first one tells.
// expect: mem-handwritten-matmul medium
void dgemm_(const int *m, const int *n, const int *k, const double *alpha, const double *a, const int *lda,
            const double *b, const int *ldb, const double *beta, double *c, const int *ldc) {
  for (int column = 0; column < *n; column++)
    for (int inner = 0; inner < *k; inner++)
      for (int row = 0; row < *m; row++)
        c[row + column * *ldc] += *alpha * *beta * a[row + inner * *lda] * b[inner + column * *ldb];
}
