// flags: -fopenmp
// Rows whose length a table gives: they may differ, but one of them is too little to be fetched by itself.
#include <stddef.h>

struct matrix {
  int rows;
  const int *start, *column;
  const double *value;
};

void multiply(const struct matrix *m, const double *x, double *y) {
  // expect: omp-costly-schedule medium "dynamic,1" "where a row has 32 elements" "chunks of 64 rows" no-fix
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < m->rows; i++) {
    double sum = 0.0;
    for (int k = m->start[i]; k < m->start[i + 1]; k++)
      sum += m->value[k] * x[m->column[k]];
    y[i] = sum;
  }
}

void counts(const int *length, double *total, const double *value, size_t rows, size_t width) {
  // expect: omp-costly-schedule medium "dynamic,2" "where a row has 32 elements"
#pragma omp parallel for schedule(dynamic, 2)
  for (size_t i = 0; i < rows; i++) {
    double sum = 0.0;
    for (int k = 0; k < length[i]; k++)
      sum += value[i * width + k];
    total[i] = sum;
  }
}
