// The inner bounds come from a table that varies with the outer loop.
void multiply(double *y, const double *values, const int *start, const int *column, const double *x, int rows) {
  for (int i = 0; i < rows; i++)
    for (int k = start[i]; k < start[i + 1]; k++)
      y[i] += values[k] * x[column[k]];
}
