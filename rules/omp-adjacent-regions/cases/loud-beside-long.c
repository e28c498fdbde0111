// flags: -fopenmp
// The copy behind a product of a matrix and a vector needs no team of its own.
void relax(double *restrict x, double *restrict y, const double *a, const double *b, int n, int steps) {
  for (int t = 0; t < steps; t++) {
    // expect: omp-adjacent-regions medium "line 13"
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      double s = b[i];
      for (int j = 0; j < n; j++)
        s -= a[i * n + j] * x[j];
      y[i] = s;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] = y[i];
  }
}

// Each of these is long.
void products(double *restrict x, double *restrict y, const double *a, int n, int steps) {
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      double s = 0;
      for (int j = 0; j < n; j++)
        s += a[i * n + j] * x[j];
      y[i] = s;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      double s = 0;
      for (int j = 0; j < n; j++)
        s += a[i * n + j] * y[j];
      x[i] = s;
    }
  }
}

// Where the team stays for the last one, it may stay for all of them.
void relax_with_rim(double *restrict x, double *restrict y, const double *a, const double *rim, int n, int m,
                    int steps) {
  for (int t = 0; t < steps; t++) {
    // expect: omp-adjacent-regions medium "3 parallel loops in a row" "lines 51 and 56"
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
      double s = 0;
      for (int j = 0; j < n; j++)
        s -= a[i * n + j] * x[j];
      y[i] = s;
    }
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      for (int j = 0; j < m; j++)
        y[i] -= rim[i * m + j];
    // The short one.
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      x[i] += 0.5 * y[i];
  }
}
