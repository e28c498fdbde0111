#include "field.h"
#include <string.h>

void relax(struct field *f) {
  const int n = f->columns;
  const double *u = f->u;
  double *restrict next = f->next;
  exchange(f);
  for (int i = 1; i < f->rows - 1; i++)
    for (int j = 1; j < n - 1; j++)
      next[i * n + j] = 0.25 * (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1]);
  for (int i = n; i < (f->rows - 1) * n; i++)
    f->u[i] = next[i];
}

void stream(double *next, const double *u, int rows, int columns) {
  for (int q = 0; q < 9; q++)
    for (int i = 1; i < rows - 1; i++)
      memcpy(next + (q * rows + i) * columns, u + (q * rows + i - 1) * columns, columns * sizeof *u);
}

void forces(double *next, const double *u, int rows, int columns) {
  for (int i = 1; i < rows - 1; i++)
    for (int j = 1; j < columns - 1; j++)
      next[i * columns + j] += 0.5 * u[j];
}
