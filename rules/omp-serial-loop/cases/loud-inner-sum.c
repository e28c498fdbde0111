// flags: -fopenmp
// A product of two matrices by one thread: of its loops three are long, though each array has two dimensions.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 200, m = argc > 2 ? atoi(argv[2]) : 100;
  double *c = calloc((size_t)n * m, sizeof *c), *d = calloc((size_t)n * n, sizeof *d), *g = calloc(n, sizeof *g);
  double *b = calloc((size_t)n * n * m, sizeof *b);
  for (int step = 0; step < 5; step++) {
    // expect: mem-handwritten-matmul
    // expect: omp-serial-loop high "'c'"
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double s = 0.0;
        for (int k = 0; k < m; k++)
          s += c[i * m + k] * c[j * m + k];
        d[i * n + j] = s;
      }
#pragma omp parallel for
    for (int q = 0; q < m; q++) {
      double s = 0.0;
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          s += b[((size_t)q * n + i) * n + j] * d[i * n + j];
      c[q] = s + step;
    }
  }
  printf("%.6f\n", d[n / 2] + g[0]);
  return 0;
}
