// Reflections gathered into one matrix: the row that scales them stands below all rows that they change, and the column
// that they are made of behind all columns. Each sum is of its column, so that there is an array of them.
void gather(double **basis, int n) {
  for (int k = 1; k <= n; k++) {
    const int m = k - 1;
    for (int c = 1; c <= m; c++) {
      double share = 0.0;
      // expect: mem-strided-inner-loop medium "from row to row" "become arrays over 'c'" "split off"
      for (int r = 1; r <= m; r++)
        share += basis[k][r] * basis[r][c];
      // expect: mem-strided-inner-loop medium "from row to row" "become arrays over 'c'" "split off"
      for (int r = 1; r <= m; r++)
        basis[r][c] -= share * basis[r][k];
    }
  }
}

// Products with a symmetric matrix of which the lower half is stored: the other half is read down the columns. Beside
// that each row keeps a number behind the columns that are read.
void products(double **half, double *product, int n, double scale) {
  for (int i = n; i > 1; i--) {
    const int last = i - 1;
    for (int j = 1; j <= last; j++) {
      half[j][i] = half[i][j] / scale;
      double sum = 0.0;
      for (int k = 1; k <= j; k++)
        sum += half[j][k] * half[i][k];
      // expect: mem-strided-inner-loop medium "from row to row" "become arrays over 'j'"
      for (int k = j + 1; k <= last; k++)
        sum += half[k][j] * half[i][k];
      product[j] = sum / scale;
    }
  }
}

// Where the rows of another matrix are read along with them, no order suits both.
void cross(double **half, double **other, double *product, int n) {
  for (int j = 0; j < n; j++) {
    double sum = 0.0;
    for (int k = j + 1; k < n; k++)
      sum += half[k][j] * other[j][k];
    product[j] = sum;
  }
}

// Two loops that hand each other nothing.
void shift(double **basis, double **other, int n) {
  for (int c = 0; c < n; c++) {
    // expect: mem-strided-inner-loop medium "do not overlap; split off the other statements"
    for (int r = 0; r < n; r++)
      basis[r][c] += 1.0;
    // expect: mem-strided-inner-loop medium "do not overlap; split off the other statements"
    for (int r = 0; r < n; r++)
      other[r][c] -= 1.0;
  }
}

// The row is one of those that change, which the next column needs.
void gather_own(double **basis, int n) {
  for (int k = 1; k <= n; k++)
    for (int c = 1; c <= k; c++) {
      double share = 0.0;
      for (int r = 1; r <= k; r++)
        share += basis[k][r] * basis[r][c];
      for (int r = 1; r <= k; r++)
        basis[r][c] -= share * basis[r][k];
    }
}
