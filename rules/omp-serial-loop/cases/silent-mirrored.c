// flags: -fopenmp
// Each row is what the one before it was, backwards.
void fold(double *field, int rows, int n, int steps) {
  for (int s = 0; s < steps; s++) {
    for (int r = 1; r < rows; r++)
      for (int k = 0; k < n; k++)
        field[r * n + k] = 0.5 * field[(r - 1) * n + n - 1 - k];
#pragma omp parallel for
    for (int r = 0; r < rows; r++)
      for (int k = 0; k < n; k++)
        field[r * n + k] += 1.0;
  }
}
