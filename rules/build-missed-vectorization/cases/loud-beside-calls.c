// Sums of each step beside a loop that calls functions take little of its time; beside single calls they count.
double solve(double *x, const double *b, int n);

double beside_a_loop(double *x, const double *b, int n, int steps) {
  double all = 0.0;
  for (int s = 0; s < steps; s++) {
    while (solve(x, b, n) > 1e-9) {
    }
    double sum = 0.0;
    // expect: build-missed-vectorization low "the floating-point result 'sum' is combined in a fixed order"
    for (int i = 0; i < n; i++)
      sum += x[i] * b[i];
    all += sum;
  }
  return all;
}

double beside_a_call(double *x, const double *b, int n, int steps) {
  double all = 0.0;
  for (int s = 0; s < steps; s++) {
    solve(x, b, n);
    double sum = 0.0;
    // expect: build-missed-vectorization high "the floating-point result 'sum' is combined in a fixed order"
    for (int i = 0; i < n; i++)
      sum += x[i] * b[i];
    all += sum;
  }
  return all;
}
