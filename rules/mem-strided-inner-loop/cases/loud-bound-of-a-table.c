// Columns of a grid that end at another level each: the bound becomes a test in the exchanged nest.
void density(double *rho, const double *t, const double *s, const int *levels, int nx, int ny) {
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < ny; j++)
      // expect: mem-strided-inner-loop medium "over 'i' the step is 8 bytes" "becomes a test in its body"
      for (int k = 0; k < levels[j * nx + i]; k++)
        rho[(k * ny + j) * nx + i] = t[(k * ny + j) * nx + i] - 0.7 * s[(k * ny + j) * nx + i];
}

// Rows that begin at a number of a table, too, are a sparse matrix: one order is possible.
void product(double *y, const double *a, const double *x, const int *begin, int rows) {
  for (int i = 0; i < rows; i++)
    for (int k = begin[i]; k < begin[i + 1]; k++)
      y[i] += a[k] * x[k * rows + i];
}

// Jagged diagonals: what is looked up costs most in either order.
void jagged(double *y, const double *a, const int *column, const double *x, const int *begin, const int *length,
            int rows) {
  for (int i = 0; i < rows; i++) {
    double sum = 0.0;
    // expect: mem-strided-inner-loop low
    for (int k = 0; k < length[i]; k++)
      sum += a[begin[k] + i] * x[column[begin[k] + i]];
    y[i] = sum;
  }
}

// The nest changes the bounds.
void shrink(double *v, int *length, int n) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < length[i]; k++) {
      v[k * n + i] *= 0.5;
      length[i + 1] -= v[k * n + i] < 0.1;
    }
}
