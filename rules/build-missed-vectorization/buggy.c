// Power iteration on a band matrix: norms are summed in a fixed order, a product adds into memory, and an activation
// calls a scalar mathematical function.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct band {
  double *values; // `width` diagonals of `rows` entries each
  int rows;
  int width;
};

// Sums of doubles may not be reordered, so each addition waits for the one before: as long as memory takes for both.
static double dot(const double *a, const double *b, int n) {
  double sum = 0.0;
  // expect: build-missed-vectorization low "the floating-point result 'sum' is combined in a fixed order"
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

// `out` might point into `in`, so the sum goes through memory in every step.
static void moments(double *out, const double *in, const double *weights, int n, int count) {
  for (int m = 0; m < count; m++) {
    out[m] = 0.0;
    // expect: build-missed-vectorization high
    for (int i = 0; i < n; i++)
      out[m] += weights[i] * in[i + m];
  }
}

static void soften(double *v, int n) {
  // expect: build-missed-vectorization high "calls of exp go to scalar functions"
  for (int i = 0; i < n; i++)
    v[i] = exp(-v[i] * v[i]);
}

// One diagonal after another: nothing stands in the way.
static void multiply(const struct band *m, const double *in, double *out) {
  for (int i = 0; i < m->rows; i++)
    out[i] = 0.0;
  for (int d = 0; d < m->width; d++) {
    const double *diagonal = m->values + (size_t)d * (size_t)m->rows;
    const int rows = m->rows - d;
    for (int i = 0; i < rows; i++)
      out[i] += diagonal[i] * in[i + d];
  }
}

// Each element needs its left neighbour: no compiler can help.
static void sweep(double *v, int n) {
  for (int i = 1; i < n; i++)
    v[i] = 0.5 * v[i] + 0.25 * v[i - 1];
}

// Runs once.
static double checksum(const double *v, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum += v[i];
  return sum;
}

int main(int argc, char **argv) {
  const int rows = argc > 1 ? atoi(argv[1]) : 20000, width = 5, steps = argc > 2 ? atoi(argv[2]) : 40;
  struct band m = {malloc((size_t)rows * (size_t)width * sizeof(double)), rows, width};
  double *x = malloc((size_t)rows * sizeof *x), *y = malloc((size_t)rows * sizeof *y);
  double low[4];
  if (m.values == NULL || x == NULL || y == NULL)
    return 1;
  for (int k = 0; k < rows * width; k++)
    m.values[k] = 1.0 / (1 + k % 9);
  for (int i = 0; i < rows; i++)
    x[i] = 1.0 + i % 3;
  for (int s = 0; s < steps; s++) {
    multiply(&m, x, y);
    soften(y, rows);
    sweep(y, rows);
    moments(low, y, x, rows - 4, 4);
    const double scale = 1.0 / (sqrt(dot(y, y, rows)) + fabs(low[3]) + 1.0);
    for (int i = 0; i < rows; i++)
      x[i] = 1.0 + scale * y[i];
  }
  printf("%.6f\n", checksum(x, rows));
  free(m.values);
  free(x);
  free(y);
  return 0;
}
