// flags: -fopenmp
// Somebody else may read the sum while the team adds to it: a reduction would show nothing before its end, an atomic
// update does.
void watch(const double *value);

double total(const double *x, int n) {
  double sum = 0.0;
  watch(&sum);
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    // expect: omp-critical-section high fix
#pragma omp critical
    sum += x[i];
  }
  return sum;
}
