// An array that the loop does not fill is the function's to change: the state of a generator.
double next(double *state);

void noise(double *a, int n, int m) {
  double state[4] = {1, 2, 3, 4};
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      a[j * n + i] += next(state);
}
