#include <stdlib.h>
double *make(long n) {
  double *a = malloc(n * sizeof *a);
  for (long i = 0; i < n; ++i)
    a[i] = 0;
  return a;
}
int main(void) {
  double *field = make(1000000);
#pragma omp parallel for
  for (long i = 0; i < 1000000; ++i)
    field[i] += 1;
  free(field);
  return 0;
}
