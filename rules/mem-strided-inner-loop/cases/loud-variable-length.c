#include <stddef.h>

void add_scaled(size_t rows, size_t columns, double target[rows][columns], double source[rows][columns], double factor) {
  for (size_t j = 0; j < columns; j++)
    // expect: mem-strided-inner-loop medium "8 * columns bytes" "8 bytes" unsafe-fix
    for (size_t i = 0; i < rows; i++)
      target[i][j] += factor * source[i][j];
}
