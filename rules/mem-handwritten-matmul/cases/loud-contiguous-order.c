// The order i, k, j has no strided operand, but fetches all of b for every row.
void multiply(long n, const double *a, const double *b, double *restrict c) {
  // expect: mem-handwritten-matmul medium "every iteration over 'i' fetches a whole factor again" " of 'a' and 'b'"
  for (long i = 0; i < n; i++)
    for (long k = 0; k < n; k++) {
      const double factor = a[i * n + k];
      for (long j = 0; j < n; j++)
        c[i * n + j] += factor * b[k * n + j];
    }
}
