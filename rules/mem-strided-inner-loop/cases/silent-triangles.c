// Orders that a triangle needs.
#include <stddef.h>
enum { N = 500 };
static double a[N][N];

double element(int i, int j) { return a[i][j]; }

// Each element is made of one to the lower left, of the iteration before of the outer loop.
void skewed(int n) {
  for (int i = 1; i < n; i++)
    for (int j = i; j < n - 1; j++)
      a[j][i] = a[j + 1][i - 1] + 1.0;
}

// The row itself is read before it is complete.
void with_itself(double *x, const double *l, int n, size_t ld) {
  for (int i = 0; i < n; i++) {
    double sum = x[i];
    for (int k = 0; k <= i; k++)
      sum -= l[i + k * ld] * x[k];
    x[i] = sum / l[i + i * ld];
  }
}

// A statement beside the inner loop reads what the iteration before has written.
void beside(double *s, int n) {
  for (int i = 1; i < n; i++) {
    for (int j = i + 1; j < n; j++)
      a[j][i] *= 2.0;
    s[i] = a[i][i - 1];
  }
}
