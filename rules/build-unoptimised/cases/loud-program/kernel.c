// A kernel of a program whose main has no loop.
// flags: -O0
// expect: build-unoptimised high "every value of its loops goes through memory" "without optimisation"
void axpy(double *restrict y, const double *restrict x, double a, long n) {
  for (long i = 0; i < n; i++)
    y[i] += a * x[i];
}
