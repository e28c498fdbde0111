// Triangles, and substitutions whose rows are complete when they are read first.
#include <stddef.h>

void scale(double *a, const double *b, int n) {
  for (int i = 0; i < n; i++)
    // expect: mem-strided-inner-loop medium "8 * n bytes" "over 'i' the step is 8 bytes"
    for (int j = i + 1; j < n; j++)
      a[(size_t)j * n + i] *= b[(size_t)j * n + i];
}

void forward(double *x, const double *l, int n, size_t ld) {
  for (int i = 0; i < n; i++) {
    double sum = x[i];
    // expect: mem-strided-inner-loop medium "8 * ld bytes" "over 'i' the step is 8 bytes"
    for (int k = 0; k < i; k++)
      sum -= l[i + k * ld] * x[k];
    x[i] = sum / l[i + i * ld];
  }
}

void backward(double *x, const double *u, int n, size_t ld) {
  for (int i = n - 1; i >= 0; i--) {
    double sum = x[i];
    // expect: mem-strided-inner-loop medium "8 * ld bytes" "sums are then rounded in another order"
    for (int k = i + 1; k < n; k++)
      sum -= u[i + k * ld] * x[k];
    x[i] = sum / u[i + i * ld];
  }
}
