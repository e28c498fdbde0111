// Assertions that cost nothing: before the loops, once per row, or static.
#include <assert.h>
#include <stddef.h>

double total(const double *a, size_t rows, size_t columns) {
  assert(a != NULL);
  static_assert(sizeof(double) == 8, "binary64");
  double sum = 0.0;
  for (size_t i = 0; i < rows; i++) {
    assert(columns < 1000000);
    for (size_t j = 0; j < columns; j++)
      sum += a[i * columns + j];
  }
  assert(sum >= 0.0);
  return sum;
}
