// What is found, how it is left, or what was done before depends on the order.
int first_row(const double *values, int rows, int columns) {
  int found = -1;
  int i, j;
  for (j = 0; j < columns; j++)
    for (i = 0; i < rows; i++)
      if (values[i * columns + j] < 0.0)
        return i;
  return found;
}

int kind_of_fault(const double *values, int rows, int columns, double limit) {
  int i, j;
  for (j = 0; j < columns; j++)
    for (i = 0; i < rows; i++) {
      if (values[i * columns + j] < 0.0)
        return 1;
      if (values[i * columns + j] > limit)
        return 2;
    }
  return 0;
}

int mark(const double *values, int *seen, int rows, int columns) {
  int i, j;
  for (j = 0; j < columns; j++)
    for (i = 0; i < rows; i++) {
      if (values[i * columns + j] < 0.0)
        return 1;
      seen[i * columns + j] = 1;
    }
  return 0;
}

int columns_that_end(const double *values, int rows, int columns, double limit) {
  int i, j;
  for (j = 0; j < columns; j++)
    for (i = 0; i < rows; i++) {
      if (values[i * columns + j] < 0.0)
        break;
      if (values[i * columns + j] > limit)
        return 1;
    }
  return 0;
}
