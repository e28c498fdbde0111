// flags: -fopenmp
// A macro whose outer loop is serial, and opens a region for the inner one: all of it stands at one place.
#define ROWS(n, m)                                                                                                     \
  for (int j = 0; j < n; j++)                                                                                          \
    _Pragma("omp parallel for") for (int i = 0; i < m; i++)

void scale(int n, int m, double (*restrict a)[64]) {
  // expect: omp-region-in-loop medium "in every iteration of the loop at line 10" no-fix
  // expect: omp-small-loop high "the loop is done in about" no-fix
  ROWS(n, 64)
  a[j][i] *= 2;
}
