// Of a symmetric matrix the upper half is stored: what turns one line of it goes down a column and then along a row.
void turn(double **half, const double *angle, int n, int p) {
  for (int q = p + 1; q < n; q++) {
    const double s = angle[q] * half[p][q];
    // expect: mem-strided-inner-loop low "from row to row" "8 bytes"
    for (int j = 0; j < p; j++) {
      const double x = half[j][p], y = half[j][q];
      half[j][p] = x - s * y;
      half[j][q] = y + s * x;
    }
    for (int j = q + 1; j < n; j++) {
      const double x = half[p][j], y = half[q][j];
      half[p][j] = x - s * y;
      half[q][j] = y + s * x;
    }
  }
}

// The other loop is of another matrix.
void turn_apart(double **half, double **other, const double *angle, int n, int p) {
  for (int q = p + 1; q < n; q++) {
    const double s = angle[q] * other[p][q];
    // expect: mem-strided-inner-loop medium "from row to row" "8 bytes"
    for (int j = 0; j < p; j++) {
      const double x = half[j][p], y = half[j][q];
      half[j][p] = x - s * y;
      half[j][q] = y + s * x;
    }
    for (int j = q + 1; j < n; j++) {
      const double x = other[p][j], y = other[q][j];
      other[p][j] = x - s * y;
      other[q][j] = y + s * x;
    }
  }
}

// By angles that are known before, either loop can be turned.
void turn_by_angle(double **half, const double *angle, int n, int p) {
  for (int q = p + 1; q < n; q++) {
    const double s = angle[q];
    // expect: mem-strided-inner-loop medium "from row to row" "8 bytes"
    for (int j = 0; j < p; j++) {
      const double x = half[j][p], y = half[j][q];
      half[j][p] = x - s * y;
      half[j][q] = y + s * x;
    }
    for (int j = q + 1; j < n; j++) {
      const double x = half[p][j], y = half[q][j];
      half[p][j] = x - s * y;
      half[q][j] = y + s * x;
    }
  }
}

// Both loops go down columns.
void turn_columns(double **half, const double *angle, int n, int p) {
  for (int q = p + 1; q < n; q++) {
    const double s = angle[q];
    // expect: mem-strided-inner-loop medium "from row to row" "8 bytes"
    for (int j = 0; j < p; j++)
      half[j][q] += s * half[j][p];
    // expect: mem-strided-inner-loop medium "from row to row" "8 bytes"
    for (int j = n; j < 2 * n; j++)
      half[j][q] -= s * half[j][p];
  }
}

// What the first loop writes the other one only reads, which may not be turned alone.
static double plane[300][300];

void relax(double (*cell)[300][24], int rows, int columns) {
  for (int s = 0; s < 24; s++) {
    for (int j = 1; j < rows - 1; j++)
      // expect: mem-strided-inner-loop medium "192 bytes" "8 bytes"
      for (int i = 1; i < columns - 1; i++)
        plane[j][i] = cell[j][i][s] + 0.1 * (cell[j][i - 1][s] + cell[j - 1][i][s]);
    for (int j = 1; j < rows - 1; j++)
      for (int i = 1; i < columns - 1; i++)
        cell[j][i][s] = plane[j][i];
  }
}

// The other loop goes across the rows, too.
void relax_ends(double **cell, const int *last, double by, int rows, int columns) {
  for (int v = 0; v < columns; v++) {
    // expect: mem-strided-inner-loop medium "from row to row" "8 bytes"
    for (int f = 0; f < rows; f++)
      cell[f][v] *= by;
    for (int w = 0; w < last[v]; w++)
      for (int f = 0; f < rows; f++)
        cell[f][v] += by * last[w];
  }
}
