// flags: -fopenmp
// The team that uses the vectors also fills them, each thread the part that it will use.
#include <stdio.h>
#include <stdlib.h>

static void triad(double *a, const double *b, const double *c, size_t count) {
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++)
    a[i] = b[i] + 3.0 * c[i];
}

int main(void) {
  const size_t count = 2000000;
  double *a = malloc(count * sizeof *a);
  double *b = malloc(count * sizeof *b);
  double *c = malloc(count * sizeof *c);
  if (a == NULL || b == NULL || c == NULL)
    return 1;
#pragma omp parallel for schedule(static)
  for (size_t i = 0; i < count; i++) {
    a[i] = 0.0;
    b[i] = (double)(i % 10);
    c[i] = 2.0;
  }
  for (int repeat = 0; repeat < 40; repeat++)
    triad(a, b, c, count);
  double sum = 0.0;
  for (size_t i = 0; i < count; i++)
    sum += a[i];
  printf("%.1f\n", sum);
  free(a);
  free(b);
  free(c);
  return 0;
}
