// An if clause that asks for some tens of short iterations lets teams be opened for less than the opening takes.
// flags: -fopenmp
void rotate(int n, double a[n][n], const double *angle) {
  for (int p = 0; p < n - 1; p++)
    for (int q = p + 1; q < n; q++) {
      const double c = angle[p], s = angle[q];
    // expect: omp-region-in-loop high "in every iteration of the loop at line 5"
#pragma omp parallel for if (n > 16)
      for (int k = 0; k < n; k++) {
        const double x = a[p][k];
        a[p][k] = c * x - s * a[q][k];
        a[q][k] = s * x + c * a[q][k];
      }
    }
}

// Thousands of them are another matter.
void rotate_large(int n, double a[n][n], const double *angle) {
  for (int p = 0; p < n - 1; p++)
    for (int q = p + 1; q < n; q++) {
      const double c = angle[p], s = angle[q];
#pragma omp parallel for if (n > 20000)
      for (int k = 0; k < n; k++) {
        const double x = a[p][k];
        a[p][k] = c * x - s * a[q][k];
        a[q][k] = s * x + c * a[q][k];
      }
    }
}
