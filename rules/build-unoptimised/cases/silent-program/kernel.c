// Every unit with loops is optimised; the one that only starts them is not.
void axpy(double *restrict y, const double *restrict x, double a, long n) {
  for (long i = 0; i < n; i++)
    y[i] += a * x[i];
}
