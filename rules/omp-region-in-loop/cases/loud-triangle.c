// flags: -fopenmp
// Rows that get shorter, or longer, with each opening.

// The columns of a triangular system, one after another.
void forward(int n, const double *lower, double *x) {
  for (int k = 0; k < n; k++) {
    x[k] /= lower[k * n + k];
    // expect: omp-region-in-loop medium "one row of the data"
#pragma omp parallel for
    for (int i = k + 1; i < n; i++)
      x[i] -= lower[k * n + i] * x[k];
  }
}

// Blocks along the diagonals of a table; each diagonal has one more.
void diagonals(float *table, const float *score, int blocks) {
  for (int d = 1; d <= blocks; d++) {
    // expect: omp-region-in-loop medium "one row of the data"
#pragma omp parallel for schedule(static)
    for (int b = 0; b < d; b++) {
      const long row = d - 1 - b;
      for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
          table[(row * 8 + y) * blocks * 8 + b * 8 + x] += score[y * 8 + x];
    }
  }
}

// A plane of what is left: soon far more than opening a team takes.
void eliminate(int n, double *a) {
  for (int k = 0; k < n; k++) {
#pragma omp parallel for
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
  }
}
