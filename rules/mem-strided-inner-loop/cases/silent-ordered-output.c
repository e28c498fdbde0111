// The order of the output is the order of the loops.
#include <stdio.h>

void print_columns(FILE *file, const double *values, int rows, int columns) {
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++)
      fprintf(file, "%g\n", values[i * columns + j]);
}
