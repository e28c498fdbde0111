// Distances of all pairs, and sums over three indices that no product of two matrices gives.
void distances(int n, int dimensions, const double *p, double *square) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0.0;
      for (int d = 0; d < dimensions; d++) {
        const double apart = p[i * dimensions + d] - p[j * dimensions + d];
        sum += apart * apart;
      }
      square[i * n + j] = sum;
    }
}

double total(int n, const double *a, const double *b, const double *w) {
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        sum += a[i * n + k] * b[k * n + j] * w[j];
  return sum;
}
