void sgemm_(const int *m, const int *n, const int *k, const float *alpha, const float *a, const int *lda,
            const float *b, const int *ldb, const float *beta, float *c, const int *ldc) {
  for (int column = 0; column < *n; column++)
    for (int inner = 0; inner < *k; inner++)
      for (int row = 0; row < *m; row++)
        c[row + column * *ldc] += *alpha * *beta * a[row + inner * *lda] * b[inner + column * *ldb];
}
