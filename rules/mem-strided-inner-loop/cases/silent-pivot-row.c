// What is stored beside the inner loop is in the rows that later iterations read: the statements can't be split off.
#define A(i, j) a[(i) + (long)(j)*ld]

void smear(double *a, int ld, int n) {
  for (int k = 8; k < n; k++)
    for (int i = 0; i < n; i++) {
      const double factor = A(i, k);
      for (int j = k + 1; j < n; j++)
        A(i, j) -= factor * A(k, j);
      A(i, k + 1) = factor;
    }
}

void climb(double *a, int ld, int n, int middle) {
  for (int i = middle - 1; i < n; i++) {
    double sum = A(i, 0);
    for (int j = 0; j < n; j++)
      sum += A(middle, j);
    A(i, 1) = sum;
  }
}

// Rows of so many elements may be shorter than the loop over them.
void eliminate_narrow(double *a, int n) {
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      const double factor = a[i + 64 * k];
      for (int j = k + 1; j < n; j++)
        a[i + 64 * j] -= factor * a[k + 64 * j];
      a[i + 64 * k] = factor;
    }
}
