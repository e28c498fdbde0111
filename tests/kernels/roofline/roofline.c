/* Loops whose operations and bytes can be counted by hand. */
#include <stdio.h>

enum { Long = 1 << 20, Short = 512, Times = 4000 };
static double a[Long], b[Long], c[Long];
static float near[Short];

__attribute__((noinline)) static void triad(double factor) {
  for (int i = 0; i < Long; ++i)
    a[i] = b[i] + factor * c[i];
}

__attribute__((noinline)) static void polynomial(float x) {
  for (int t = 0; t < Times; ++t)
    for (int i = 0; i < Short; ++i)
      near[i] = ((near[i] * x + 0.5f) * x + 0.25f) * x + 0.125f;
}

__attribute__((noinline)) static double mean(double x, double y) { return (x + y) * 0.5; }

int main(int argc, char **argv) {
  (void)argv;
  double sum = 0;
  for (int i = 0; i < Long; ++i)
    b[i] = argc, c[i] = i;
  triad(3);
  polynomial(0.5f * (float)argc);
  for (int i = 0; i < Times; ++i)
    sum = mean(sum, a[i]);
  printf("%g %g\n", sum, near[1]);
  return 0;
}
