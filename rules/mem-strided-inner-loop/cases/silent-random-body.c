// Other order, other numbers at each place.
#include <stdlib.h>

void jitter(double *values, int rows, int columns) {
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++)
      values[i * columns + j] += 0.001 * rand();
}
