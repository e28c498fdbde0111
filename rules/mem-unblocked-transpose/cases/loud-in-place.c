// An exchange in place: each pair above and below the diagonal is met once.
void inPlace(double *m, int n) {
  for (int i = 0; i < n; i++)
    // expect: mem-unblocked-transpose medium
    for (int j = i + 1; j < n; j++) {
      double kept = m[i * n + j];
      m[i * n + j] = m[j * n + i];
      m[j * n + i] = kept;
    }
}
