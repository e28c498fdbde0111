// Elimination in place: each step needs the rows that the one before has changed.
void factorise(int n, double *a) {
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++)
      a[i * n + k] /= a[k * n + k];
    for (int i = k + 1; i < n; i++)
      for (int j = k + 1; j < n; j++)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
  }
}
