// flags: -fopenmp
// The end planes of an array of planes of rows are zeroed in each step, each behind a pointer of its own; all planes of
// another at once, since the rows lie one behind the other.
#include <stdlib.h>
#include <string.h>

double ***planes(int layers, int rows, int columns) {
  double ***a = malloc(layers * sizeof *a);
  double **row = malloc((size_t)layers * rows * sizeof *row);
  double *value = malloc((size_t)layers * rows * columns * sizeof *value);
  for (int k = 0; k < layers; k++)
    a[k] = row + k * rows;
  for (int j = 0; j < layers * rows; j++)
    row[j] = value + j * columns;
  return a;
}

void relax(int layers, int n, int steps) {
  double ***a = planes(layers, n, n), ***b = planes(layers, n, n), ***c = planes(layers, n, 3);
  for (int t = 0; t < steps; t++) {
    memset(a[0][0], 0, sizeof(double) * n * n);
    memset(a[layers - 1][0], 0, sizeof(double) * n * n);
    // expect: omp-calloc-first-touch medium "memset"
    memset(b[0][0], 0, sizeof(double) * layers * n * n);
    // expect: omp-calloc-first-touch medium "memset"
    memset(c[0][0], 0, sizeof(double) * layers * n * 3);
#pragma omp parallel for
    for (int k = 1; k < layers - 1; k++)
      for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
          a[k][j][i] += b[k][j][i];
#pragma omp parallel for
    for (int k = 1; k < layers - 1; k++)
      for (int j = 0; j < n; j++)
        for (int i = 0; i < 3; i++)
          c[k][j][i] += 1;
  }
}

// The caller's pointer.
void make(double **sums, int n) {
  *sums = malloc((size_t)n * sizeof(double));
  // expect: omp-calloc-first-touch medium "memset"
  memset(*sums, 0, n * sizeof(double));
}

void add(const double *values, int n, int steps) {
  double *sums;
  make(&sums, n);
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
      sums[i] += values[i];
  }
}
