// A step that is a number of the run may be no longer than a line: sums over a few constraints of each part.
#include <stdlib.h>

double worst_ratio(size_t parts, size_t kinds, const double *weights, double *sums) {
  for (size_t k = 0; k < kinds; k++) {
    sums[k] = 0;
    // expect: mem-strided-inner-loop medium "8 * kinds bytes" "provided that 8 * kinds bytes are more than a cache line"
    for (size_t p = 0; p < parts; p++)
      sums[k] += weights[p * kinds + k];
  }
  return sums[0];
}

// Asked before.
double worst_of_many(size_t parts, size_t kinds, const double *weights, double *sums) {
  if (kinds < 100)
    return 0;
  for (size_t k = 0; k < kinds; k++) {
    sums[k] = 0;
    // expect: mem-strided-inner-loop high "8 * kinds bytes" "make 'k' (line 18) the innermost loop"
    for (size_t p = 0; p < parts; p++)
      sums[k] += weights[p * kinds + k];
  }
  return sums[0];
}

// The other loop walks a hundred elements of each row.
void first_hundred(size_t rows, size_t pitch, const double *restrict table, double *restrict sums) {
  for (size_t k = 0; k < 100; k++)
    // expect: mem-strided-inner-loop high "8 * pitch bytes"
    for (size_t r = 0; r < rows; r++)
      sums[k] += table[r * pitch + k];
}
