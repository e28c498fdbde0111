// An elimination by columns: what is subtracted stands in the row and the column of the pivot, which the loops leave out.
void by_columns(double *a, int n) {
  for (int k = 0; k < n; k++)
    for (int j = k + 1; j < n; j++)
      // expect: mem-strided-inner-loop medium "8 * n bytes" "8 bytes" unsafe-fix
      for (int i = k + 1; i < n; i++)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
}

void by_columns_of_rows(double **a, int n) {
  for (int k = 0; k < n; k++)
    for (int j = k + 1; j < n; j++)
      // expect: mem-strided-inner-loop medium "from row to row" "8 bytes" unsafe-fix
      for (int i = k + 1; i < n; i++)
        a[i][j] -= a[i][k] * a[k][j];
}

// Here the pivot's column is changed, too, before the others use it: in each row by itself, in either order.
void with_pivot(double *a, int n) {
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      // expect: mem-strided-inner-loop medium "8 * n bytes" "8 bytes"
      for (int i = k + 1; i < n; i++)
        a[i * n + j] -= a[i * n + k] * a[k * n + j];
}
