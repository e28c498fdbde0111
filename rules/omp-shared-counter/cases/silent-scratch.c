// flags: -fopenmp
// Each thread has its own, all set the same value, nobody reads it there, or a condition says who sets it.
void normalise(int count, const double *values, const double *weights, double *out) {
  double scaled;
#pragma omp parallel for private(scaled)
  for (int i = 0; i < count; i++) {
    scaled = values[i] * weights[i];
    out[i] = scaled / (1.0 + scaled);
  }
}

double scale(int count, const double *values, double factor, double *out) {
  double used = 1.0, last = 0.0;
  int where = -1;
#pragma omp parallel for
  for (int i = 0; i < count; i++) {
    used = 2.0 * factor;
    out[i] = used * values[i];
    last = values[i];
    if (values[i] > 1e9 && where < 0)
      where = i;
  }
  return last + where;
}

double middle(int count, const double *values, double *out) {
  double value;
#pragma omp parallel for lastprivate(value)
  for (int i = 0; i < count; i++) {
    value = values[i];
    out[i] = value * value;
  }
  return value;
}
