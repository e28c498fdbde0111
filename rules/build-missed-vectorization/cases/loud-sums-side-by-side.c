// As many sums as an addition takes cycles keep the adder busy, and compilers pack them; fewer wait for each other.
void four(const double *x, int n, int steps, double *out) {
  for (int s = 0; s < steps; s++) {
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    // expect: build-missed-vectorization low "is combined in a fixed order"
    for (int i = 0; i < n; i++) {
      a += x[i] * s;
      b += x[i] * x[i];
      c += x[i] * (x[i] + 1.0);
      d += x[i] * (x[i] - 1.0);
    }
    out[s] += a + b + c + d;
  }
}

void three(const double *x, int n, int steps, double *out) {
  for (int s = 0; s < steps; s++) {
    double a = 0.0, b = 0.0, c = 0.0;
    // expect: build-missed-vectorization high "is combined in a fixed order"
    for (int i = 0; i < n; i++) {
      a += x[i] * s;
      b += x[i] * x[i];
      c += x[i] * (x[i] + 1.0);
    }
    out[s] += a + b + c;
  }
}
