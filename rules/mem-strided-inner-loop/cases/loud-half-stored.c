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
