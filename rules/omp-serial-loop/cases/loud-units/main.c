// flags: -fopenmp
// The steps are here, the team's loop is in another file, and the one that was forgotten in a third.
#include "vectors.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 300000;
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
  x[3] = 1.0;
  for (int step = 0; step < 20; step++) {
    add(y, x, n);
    damp(x, y, n);
  }
  printf("%.6f\n", y[3]);
  return 0;
}
