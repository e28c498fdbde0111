// A sparse matrix times a few dense columns: which row of x is read, the data decide.
void apply(int rows, int columns, const int *begin, const int *column, const double *value, const double *x, double *y) {
  for (int i = 0; i < rows; i++)
    for (int p = begin[i]; p < begin[i + 1]; p++)
      for (int j = 0; j < columns; j++)
        y[i * columns + j] += value[p] * x[column[p] * columns + j];
}
