// Sums over the rows of a sparse matrix, found through one table of offsets: a handful of elements each, so that adding
// up the lanes of a vector costs what the vector saves.
#include <stdio.h>
#include <stdlib.h>

static double row_sums(const int *first, const double *value, double *sum, int rows) {
  double largest = 0.0;
  for (int i = 0; i < rows; i++) {
    double s = 0.0;
    for (int k = first[i]; k < first[i + 1]; k++)
      s += value[k];
    sum[i] = s;
    largest = s > largest ? s : largest;
  }
  return largest;
}

struct matrix {
  long *row_start;
  double *value;
  long rows;
};

static double diagonal_dominance(const struct matrix *m) {
  double worst = 0.0;
  for (long i = 0; i < m->rows; i++) {
    double off = 0.0;
    for (long k = m->row_start[i] + 1; k < m->row_start[i + 1]; k++)
      off += m->value[k] * m->value[k];
    worst += off - m->value[m->row_start[i]];
  }
  return worst;
}

int main(void) {
  enum { rows = 5000, each = 7 };
  int *first = malloc((rows + 1) * sizeof *first);
  long *start = malloc((rows + 1) * sizeof *start);
  double *value = malloc((size_t)rows * each * sizeof *value), *sum = malloc(rows * sizeof *sum);
  if (!first || !start || !value || !sum)
    return 1;
  for (int i = 0; i <= rows; i++)
    first[i] = i * each, start[i] = i * each;
  for (int i = 0; i < rows * each; i++)
    value[i] = i % 11;
  const struct matrix m = {start, value, rows};
  double total = 0.0;
  for (int step = 0; step < 10; step++)
    total += row_sums(first, value, sum, rows) + diagonal_dominance(&m);
  printf("%g\n", total);
  free(first);
  free(start);
  free(value);
  free(sum);
  return 0;
}
