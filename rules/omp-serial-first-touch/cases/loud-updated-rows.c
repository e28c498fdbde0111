// What is read before it is written was written before: indices that are made local are no fill of their rows.
// flags: -fopenmp
#include <stdlib.h>

typedef struct {
  int rows, *lengths, **index;
  double **values;
} matrix;

void build(matrix *a, int n, int first) {
  a->rows = n;
  a->lengths = malloc(sizeof(int) * n);
  a->index = malloc(sizeof(int *) * n);
  a->values = malloc(sizeof(double *) * n);
  int *where = malloc(sizeof(int) * n * 27);
  double *value = malloc(sizeof(double) * n * 27);
  // expect: omp-serial-first-touch medium "first to write 'lengths', 'values', 'value', 'index' and 'where'"
  for (int i = 0; i < n; i++) {
    a->index[i] = where;
    a->values[i] = value;
    a->lengths[i] = 0;
    for (int k = 0; k < 27; k++)
      if (i + k < n) {
        *where++ = first + i + k;
        *value++ = k == 0 ? 27.0 : -1.0;
        a->lengths[i]++;
      }
  }
}

void localise(matrix *a, int first) {
  int **index = a->index, *lengths = a->lengths;
  for (int i = 0; i < a->rows; i++)
    for (int j = 0; j < lengths[i]; j++)
      index[i][j] -= first;
}

void multiply(const matrix *a, const double *x, double *y) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < a->rows; i++) {
    double sum = 0.0;
    for (int j = 0; j < a->lengths[i]; j++)
      sum += a->values[i][j] * x[a->index[i][j]];
    y[i] = sum;
  }
}

void solve(int n, int first, const double *x, double *y) {
  matrix a;
  build(&a, n, first);
  localise(&a, first);
  for (int step = 0; step < 100; step++)
    multiply(&a, x, y);
}
