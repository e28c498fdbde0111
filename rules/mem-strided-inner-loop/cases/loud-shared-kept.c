// flags: -fopenmp
// The exchange would change what each thread has: other loops of the unit do not wait for each other.
#include <stdio.h>
#include <stdlib.h>

enum { Width = 900, Height = 700 };

static void halve(double *restrict out, const double *restrict in) {
#pragma omp for schedule(static) nowait
  for (int y = 0; y < Height; y++)
    // expect: mem-strided-inner-loop high "5600 bytes" "8 bytes" no-fix
    for (int x = 0; x < Width; x++)
      out[x * Height + y] = 0.5 * in[x * Height + y];
}

static void twice(double *restrict out, const double *restrict in) {
#pragma omp for schedule(static)
  for (int y = 0; y < Height; y++)
    // expect: mem-strided-inner-loop high "5600 bytes" "8 bytes" no-fix
    for (int x = 0; x < Width; x++)
      out[x * Height + y] += 2.0 * in[x * Height + y];
}

int main(void) {
  double *a = calloc((size_t)Width * Height, sizeof *a), *b = calloc((size_t)Width * Height, sizeof *b);
  if (!a || !b)
    return 1;
  for (int i = 0; i < Width * Height; i++)
    a[i] = i % 13;
#pragma omp parallel
  {
    halve(b, a);
    twice(b, a);
  }
  double all = 0.0;
  for (int i = 0; i < Width * Height; i++)
    all += b[i] * (i % 3);
  printf("%.6f\n", all);
  free(a);
  free(b);
  return 0;
}
