// Sums in a fixed order over what comes from memory. One addition of a double waits as long for the one before as its
// bytes take to come, where all cores ask for theirs: vectors bring nothing. They do where less comes for each
// addition, where what is added waits longer, and where a loop around walks the same few again.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double dot(const double *a, const double *b, int n) {
  double sum = 0.0;
  // expect: build-missed-vectorization low "the floating-point result 'sum' is combined in a fixed order"
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

// Half of the bytes are in the cache, and the rest keep the sum waiting.
void product(const double *matrix, const double *x, double *restrict y, int rows, int columns) {
  for (int i = 0; i < rows; i++) {
    double sum = 0.0;
    // expect: build-missed-vectorization low "the floating-point result 'sum' is combined in a fixed order"
    for (int j = 0; j < columns; j++)
      sum += matrix[(long)i * columns + j] * x[j];
    y[i] = sum;
  }
}

// All of them are.
void weigh(const double *weights, const double *x, double *restrict y, int rows, int columns) {
  for (int i = 0; i < rows; i++) {
    double sum = 0.0;
    // expect: build-missed-vectorization high "the floating-point result 'sum' is combined in a fixed order"
    for (int j = 0; j < columns; j++)
      sum += weights[j] * x[j] * (i + 1.0);
    y[i] = sum;
  }
}

// Half as many bytes for each addition.
void mean(const float *rows, double *restrict means, int count, int length) {
  for (int r = 0; r < count; r++) {
    double sum = 0.0;
    // expect: build-missed-vectorization high "the floating-point result 'sum' is combined in a fixed order"
    for (int i = 0; i < length; i++)
      sum += (double)rows[(long)r * length + i];
    means[r] = sum / length;
  }
}

// As many bytes, and more arithmetic than they take to come.
void fit(const double *rows, double *restrict sums, int count, int length) {
  for (int r = 0; r < count; r++) {
    double sum = 0.0;
    // expect: build-missed-vectorization high "the floating-point result 'sum' is combined in a fixed order"
    for (int i = 0; i < length; i++) {
      double v = rows[(long)r * length + i], w = 1.0 + v * (0.5 - v * (0.3 + v * (0.1 - v * 0.05)));
      v = w + w * (0.2 - w * (0.7 + w * (0.4 - w * 0.01)));
      w = v - v * (0.3 + v * (0.6 - v * (0.2 + v * 0.03)));
      sum += w * w * (1.0 - w * (0.2 + w));
    }
    sums[r] = sum;
  }
}

// Much to do for each number before it is added.
void potential(const double *distance, double *restrict sums, int count, int length) {
  for (int r = 0; r < count; r++) {
    double sum = 0.0;
    // expect: build-missed-vectorization high "calls of exp go to scalar functions"
    for (int i = 0; i < length; i++)
      sum += exp(-distance[(long)r * length + i]);
    sums[r] = sum;
  }
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 400;
  double *a = calloc((size_t)n * n, sizeof *a), *b = calloc((size_t)n * n, sizeof *b), *y = calloc(n, sizeof *y);
  float *f = calloc((size_t)n * n, sizeof *f);
  if (!a || !b || !y || !f)
    return 1;
  double all = 0.0;
  for (int step = 0; step < 100; step++) {
    all += dot(a, b, n * n);
    product(a, b, y, n, n);
    weigh(a, b, y, n, n);
    mean(f, y, n, n);
    fit(a, y, n, n);
    potential(b, y, n, n);
  }
  printf("%g\n", all + y[n - 1]);
  return 0;
}
