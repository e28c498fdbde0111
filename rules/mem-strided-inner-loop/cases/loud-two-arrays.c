// The order of the loops is right for other arrays only if these do not overlap, which nothing here shows: the fix is
// unsafe.
#include <stddef.h>

enum { Rows = 2000, Columns = 1500 };

void add(double *into, const double *from) {
  for (int j = 0; j < Columns; j++)
    // expect: mem-strided-inner-loop high "12000 bytes" "8 bytes" unsafe-fix
    for (int i = 0; i < Rows; i++)
      into[(size_t)i * Columns + j] += from[(size_t)i * Columns + j];
}

double total(const double *table) {
  double sum = 0.0;
  for (int j = 0; j < Columns; j++)
    // expect: mem-strided-inner-loop high "12000 bytes" "8 bytes" unsafe-fix
    for (int i = 0; i < Rows; i++)
      sum += table[(size_t)i * Columns + j];
  return sum;
}
