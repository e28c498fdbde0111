// The last level of a command counts: a debug flag behind the release flags undoes them.
// flags: -O3 -g -O0
#include <stdio.h>

static double dot(const float *a, const float *b, unsigned n) {
  double s = 0;
  unsigned i = 0;
  while (i < n) {
    s += a[i] * b[i];
    i++;
  }
  return s;
}

// expect: build-unoptimised medium "every value of its loops goes through memory" "without optimisation"
int main(int argc, char **argv) {
  static float a[4096], b[4096];
  (void)argv;
  for (int i = 0; i < 4096; i++) {
    a[i] = (float)(i % argc);
    b[i] = 1.0F;
  }
  printf("%f\n", dot(a, b, 4096));
  return 0;
}
