// Sums over the whole list, however much of it was gathered for this row.
#include <stdio.h>
#include <stdlib.h>

static double strong(const double *value, float *list, int rows, int columns) {
  double largest = 0.0;
  for (int i = 0; i < rows; i++) {
    int count = 0;
    for (int j = 0; j < columns; j++)
      if (value[i * columns + j] > 4.0)
        list[count++] = (float)value[i * columns + j];
    double sum = count;
    // expect: build-missed-vectorization high "the floating-point result 'sum' is combined in a fixed order"
    for (int k = 0; k < columns; k++)
      sum += list[k];
    largest = sum > largest ? sum : largest;
  }
  return largest;
}

int main(void) {
  enum { rows = 300, columns = 200 };
  double *value = malloc((size_t)rows * columns * sizeof *value);
  float *list = calloc(columns, sizeof *list);
  if (!value || !list)
    return 1;
  for (int i = 0; i < rows * columns; i++)
    value[i] = i % 11;
  double total = 0.0;
  for (int step = 0; step < 10; step++)
    total += strong(value, list, rows, columns);
  printf("%g\n", total);
  free(value);
  free(list);
  return 0;
}
