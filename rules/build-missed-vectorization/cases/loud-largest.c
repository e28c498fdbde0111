// The largest element, asked for in every step: what stops the vectors is that one may be no number.
double largest(const double *v, int n) {
  double top = v[0];
  // expect: build-missed-vectorization low "-ffinite-math-only -fno-signed-zeros if no NaN"
  for (int i = 0; i < n; i++)
    top = v[i] * v[i] > top ? v[i] * v[i] : top;
  return top;
}

double rise(double *v, int n, int steps) {
  double total = 0.0;
  for (int step = 0; step < steps; step++) {
    v[step % n] += 1.0;
    total += largest(v, n);
  }
  return total;
}
