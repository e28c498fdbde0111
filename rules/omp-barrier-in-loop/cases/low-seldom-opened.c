// flags: -fopenmp
// Each run of the region ends its first loop for nothing: that counts where the region runs often, which only the loop
// of the second function shows.

void scale(double *restrict a, double *restrict b, int n) {
#pragma omp parallel
  {
// expect: omp-barrier-in-loop low "each time that the region is opened"
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      a[i] *= 2;
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      b[i] *= 3;
  }
}

static void shift(double *restrict a, double *restrict b, int n) {
#pragma omp parallel
  {
// expect: omp-barrier-in-loop medium "each time that the region is opened"
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      a[i] += 2;
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++)
      b[i] += 3;
  }
}

void steps(double *restrict a, double *restrict b, int n, int count) {
  for (int step = 0; step < count; step++)
    shift(a, b, n);
}
