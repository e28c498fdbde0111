// Sums that run once, or over a handful of elements.
#include <stdio.h>

static double corner(const double v[8]) {
  double sum = 0.0;
  for (int i = 0; i < 8; i++)
    sum += v[i];
  return sum;
}

static double total(const double *v, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum += v[i];
  return sum;
}

// Output is what this loop waits for.
static void print(const double *v, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    sum += v[i];
    printf("%g\n", sum);
  }
}

int main(void) {
  static double v[4096];
  double sum = 0.0;
  for (int i = 0; i < 4096; i++)
    v[i] = i % 7;
  for (int i = 0; i + 8 <= 4096; i += 8)
    sum += corner(v + i);
  for (int k = 0; k < 2; k++)
    print(v, 4);
  printf("%g %g\n", sum, total(v, 4096));
  return 0;
}
