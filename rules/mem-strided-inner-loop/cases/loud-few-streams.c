// As many streams as a point has fields: each line is used to its end before it goes.
void energy(double **field, double *sum, int fields, int planes, int rows, int columns) {
  for (int k = 0; k < planes; k++)
    for (int j = 0; j < rows; j++)
      for (int i = 0; i < columns; i++) {
        const long at = ((long)k * rows + j) * columns + i;
        double all = 0.0;
        // expect: mem-strided-inner-loop low "from row to row" "8 bytes"
        for (int f = 0; f < fields; f++)
          all += field[f][at] * field[f][at];
        sum[at] = all;
      }
}

// The same over lines of a known length.
void energy_of_lines(double **field, double *sum, int fields, int rows) {
  for (int j = 0; j < rows; j++)
    for (int i = 0; i < 96; i++) {
      double all = 0.0;
      // expect: mem-strided-inner-loop low "from row to row" "8 bytes"
      for (int f = 0; f < fields; f++)
        all += field[f][96 * j + i] * field[f][96 * j + i];
      sum[96 * j + i] = all;
    }
}

// One field after the other, each of them down its lines.
void halve(double **field, int fields, int planes, int rows, int columns) {
  for (int f = 0; f < fields; f++)
    for (int k = 0; k < planes; k++)
      for (int i = 0; i < columns; i++)
        // expect: mem-strided-inner-loop medium "8 * columns bytes" "8 bytes"
        for (int j = 0; j < rows; j++)
          field[f][((long)k * rows + j) * columns + i] *= 0.5;
}

// Rows of a matrix, of which there may be as many as columns; in each plane of them the loop comes by again.
void column_sums(double **matrix, double *sum, int planes, int rows, int columns) {
  for (int k = 0; k < planes; k++)
    for (int i = 0; i < columns; i++) {
      double all = 0.0;
      // expect: mem-strided-inner-loop medium "from row to row" "8 bytes"
      for (int r = 0; r < rows; r++)
        all += matrix[r][i] * k;
      sum[k * columns + i] = all;
    }
}

// A sparse matrix whose rows are stored across: the entries say where the vector is read.
void multiply(const double *value, const int *column, const double *x, double *y, int n, int width) {
  for (int i = 0; i < n; i++) {
    double all = 0.0;
    // expect: mem-strided-inner-loop low "4 * n bytes" "4 bytes"
    for (int k = 0; k < width; k++)
      all += value[i + (long)k * n] * x[column[i + (long)k * n]];
    y[i] = all;
  }
}

// The same, but what is read is put where the loop goes, and not added up.
void gather(const int *column, const double *x, double *y, int n, int width) {
  for (int i = 0; i < n; i++)
    // expect: mem-strided-inner-loop medium "4 * n bytes" "4 bytes"
    for (int k = 0; k < width; k++)
      y[i + (long)k * n] = x[column[i + (long)k * n]];
}
