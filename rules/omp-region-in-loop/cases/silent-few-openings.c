// flags: -fopenmp
// Three directions, each over all cells; columns eliminated one after another, where the rest shrinks.
void components(double *f, const double *g, long cells) {
  for (int d = 0; d < 3; d++) {
#pragma omp parallel for
    for (long c = 0; c < cells; c++)
      f[d * cells + c] += g[d * cells + c];
  }
}

void eliminate(double *a, int n) {
  for (int k = 0; k < n - 1; k++) {
#pragma omp parallel for
    for (int i = k + 1; i < n; i++) {
      double factor = a[i * n + k] / a[k * n + k];
      for (int j = k; j < n; j++)
        a[i * n + j] -= factor * a[k * n + j];
    }
  }
}

void guarded(double *a, int rows, int columns) {
  for (int y = 0; y < rows; y++) {
#pragma omp parallel for if (columns > 100000)
    for (int x = 0; x < columns; x++)
      a[y * columns + x] *= 0.5;
  }
}
