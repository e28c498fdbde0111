// A table of a few factors to which a loop comes back does not make the loop short; one that it goes through does.
void again(double *a, const double *x, int n) {
  double factors[4] = {1.0, 2.0, x[0], x[1]};
  for (int i = 0; i < n; i++)
    // expect: mem-strided-inner-loop medium "8 * n bytes" fix
    for (int k = 0; k < n; k++)
      a[(long)k * n + i] *= factors[k % 4];
}

void through(double *a, const double *x, int n, int m) {
  double factors[4] = {1.0, 2.0, x[0], x[1]};
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++)
      a[(long)k * n + i] *= factors[k];
}
