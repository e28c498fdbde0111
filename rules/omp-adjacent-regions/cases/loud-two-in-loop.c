// flags: -fopenmp
// Two loops per sweep; the second takes a value that is computed between them.
void relax(float *a, float *b, int n, int sweeps) {
  for (int s = 0; s < sweeps; s++) {
    // expect: omp-adjacent-regions medium "line 10"
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
      a[i] *= 0.99f;
    float weight = s * 0.5f;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++)
      b[i] += weight * a[i];
  }
}

void norms(const double *a, const double *b, double *out, int n, int repeats) {
  for (int k = 0; k < repeats; k++) {
    double first = 0.0, second = 0.0;
    // expect: omp-adjacent-regions medium "line 23"
#pragma omp parallel for reduction(+ : first)
    for (int i = 0; i < n; i++)
      first += a[i] * a[i];
#pragma omp parallel for reduction(+ : second)
    for (int i = 0; i < n; i++)
      second += b[i] * b[i];
    out[k] = first / second;
  }
}
