// Finds the first column with a negative entry: what is first depends on the order.
int first_negative_column(const double *values, int rows, int columns) {
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++)
      if (values[i * columns + j] < 0.0)
        return j;
  return -1;
}
