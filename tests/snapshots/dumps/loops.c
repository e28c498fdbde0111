void transpose(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a[j * n + i] = b[i * n + j];
}
double table[64][100];
double sum(void) {
  double s = 0;
  for (int i = 0; i < 100; ++i)
    for (int j = 0; j < 64; ++j)
      s += table[j][i];
  return s;
}
