// Both triangles, one after the other: the second one undoes the first.
void twice(double *m, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double kept = m[i * n + j];
      m[i * n + j] = m[j * n + i];
      m[j * n + i] = kept;
    }
}
