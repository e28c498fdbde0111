// flags: -fopenmp
// Two elements of an array outlive the iteration: the last one's value, and one that each third iteration sets alone.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 400000;
  double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *z = calloc(n, sizeof *z);
  double parts[3], kept[3], last[3];
  for (int k = 0; k < 3; k++)
    last[k] = 1.0;
  for (int step = 0; step < 50; step++) {
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      y[i] = 0.5 * (x[i - 1] + x[i + 1]) + 1e-3 * z[i];
    for (int i = 0; i < n; i++) {
      if (i % 3 == 0)
        for (int k = 0; k < 3; k++)
          kept[k] = y[i] * (k + 1);
      x[i] = kept[0] + kept[1] + kept[2];
    }
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < 3; k++)
        last[k] = y[i] * (k + 1);
      z[i] = last[0] + last[1] + last[2];
    }
    for (int i = 0; i < n; i++) {
      parts[i % 3] = y[i];
      if (i > 1)
        z[i] = parts[0] + parts[1] + parts[2];
    }
  }
  printf("%.6f %.6f\n", x[n / 2], last[0]);
  return 0;
}
