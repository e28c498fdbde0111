// One small block per entry of a sparse matrix; how small, only the run knows.
void add_product(int block, const double *a, const double *b, double *c) {
  for (int i = 0; i < block; i++)
    for (int k = 0; k < block; k++)
      for (int j = 0; j < block; j++)
        c[i * block + j] += a[i * block + k] * b[k * block + j];
}

void multiply_entries(int rows, const int *begin, const int *column, int block, const double *a, const double *b,
                      double *c) {
  for (int row = 0; row < rows; row++)
    for (int at = begin[row]; at < begin[row + 1]; at++)
      add_product(block, a + at * block * block, b + column[at] * block * block, c + row * block * block);
}
