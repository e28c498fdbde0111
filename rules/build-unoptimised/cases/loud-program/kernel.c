// A kernel of a program whose main has no loop.
// flags: -O0
// expect: build-unoptimised
void axpy(double *restrict y, const double *restrict x, double a, long n) {
  for (long i = 0; i < n; i++)
    y[i] += a * x[i];
}
