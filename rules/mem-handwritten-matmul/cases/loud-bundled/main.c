#include <stdio.h>

void dgemm_(const int *m, const int *n, const int *k, const double *alpha, const double *a, const int *lda,
            const double *b, const int *ldb, const double *beta, double *c, const int *ldc);

int main(void) {
  static double a[4], b[4], c[4];
  const int two = 2;
  const double one = 1.0;
  for (int i = 0; i < 4; i++)
    a[i] = b[i] = i;
  dgemm_(&two, &two, &two, &one, a, &two, b, &two, &one, c, &two);
  printf("%g\n", c[3]);
  return 0;
}
