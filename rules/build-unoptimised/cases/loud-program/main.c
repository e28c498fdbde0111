// flags: -O0
#include <stdio.h>

void axpy(double *restrict y, const double *restrict x, double a, long n);

int main(void) {
  static double x[1000], y[1000];
  axpy(y, x, 2.0, 1000);
  printf("%g\n", y[0]);
  return 0;
}
