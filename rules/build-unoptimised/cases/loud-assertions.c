// Optimised, but every element access is checked.
#include <assert.h>
#include <stddef.h>

double frobenius(const double *a, size_t rows, size_t columns, size_t size) {
  double sum = 0.0;
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++) {
      // expect: build-unoptimised medium "assertions of innermost loops are" "into the program"
      assert(i * columns + j < size);
      sum += a[i * columns + j] * a[i * columns + j];
    }
  return sum;
}
