// A loop that uses another element of a small declared array in each iteration is as short as that array.
struct cell {
  double flux[5], value[200];
};

double components(const double *x, int variables, int steps) {
  double all = 0.0, weights[5] = {1.0, 2.0, 3.0, 4.0, x[0]};
  for (int s = 0; s < steps; s++) {
    double sum = 0.0;
    for (int v = 0; v < variables; v++)
      sum += weights[v] * x[v] * x[v];
    all += sum * sum;
  }
  return all;
}

double members(const struct cell *c, const double *x, int variables, int steps) {
  double all = 0.0;
  for (int s = 0; s < steps; s++) {
    double sum = 0.0;
    for (int v = 0; v < variables; v++)
      sum += c->flux[v] * x[v] * x[v];
    all += sum * sum;
  }
  return all;
}

double more(const struct cell *c, const double *x, int variables, int steps) {
  double all = 0.0;
  for (int s = 0; s < steps; s++) {
    double sum = 0.0;
    // expect: build-missed-vectorization high "the floating-point result 'sum' is combined in a fixed order"
    for (int v = 0; v < variables; v++)
      sum += c->value[v] * x[v] * x[v];
    all += sum * sum;
  }
  return all;
}
