// flags: -fopenmp
// Allocated, filled and used in three functions.
#include <stdlib.h>

struct field {
  double *values;
  unsigned rows, columns;
};

int create(struct field *f, unsigned rows, unsigned columns) {
  f->rows = rows;
  f->columns = columns;
  f->values = malloc((size_t)rows * columns * sizeof *f->values);
  return f->values != NULL ? 0 : -1;
}

void fill(struct field *f, double value) {
  // expect: omp-serial-first-touch medium "'values'" "line 26"
  for (unsigned i = 0; i < f->rows; i++)
    for (unsigned j = 0; j < f->columns; j++)
      f->values[(size_t)i * f->columns + j] = value;
}

void grow(struct field *f, double factor) {
#pragma omp parallel for schedule(static)
  for (unsigned i = 0; i < f->rows; i++)
    for (unsigned j = 0; j < f->columns; j++)
      f->values[(size_t)i * f->columns + j] *= factor;
}

int main(void) {
  struct field f;
  if (create(&f, 1000, 1000) != 0)
    return 1;
  fill(&f, 1.0);
  for (int step = 0; step < 3; step++)
    grow(&f, 1.5);
  const int wrong = f.values[7] != 3.375;
  free(f.values);
  return wrong;
}
