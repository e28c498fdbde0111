// flags: -fopenmp
// A member is counted on by each iteration.
#include <stdio.h>
#include <stdlib.h>

struct tally {
  long seen;
};

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 400000;
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
  struct tally *all = calloc(1, sizeof *all);
  for (int step = 0; step < 50; step++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      y[i] = 0.5 * (x[i - 1] + x[i + 1]) + 1e-3;
    for (int i = 0; i < n; i++) {
      x[i] = y[i];
      all->seen++;
    }
  }
  printf("%.6f\n", x[n / 2] + all->seen);
  return 0;
}
