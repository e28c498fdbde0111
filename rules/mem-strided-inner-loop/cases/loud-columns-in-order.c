// Columns change places once each where their keys ask for it, after the work that found the keys.
void order(const double *key, double **column, int n) {
  for (int i = 0; i < n - 1; i++) {
    int least = i;
    for (int j = i + 1; j < n; j++)
      if (key[j] < key[least])
        least = j;
    if (least != i)
      // expect: mem-strided-inner-loop low "from row to row" "8 bytes"
      for (int r = 0; r < n; r++) {
        const double kept = column[r][i];
        column[r][i] = column[r][least];
        column[r][least] = kept;
      }
  }
}

// All of them, in each call.
void turn(double **column, int n) {
  for (int i = 0; i < n; i++)
    // expect: mem-strided-inner-loop medium "from row to row" "8 bytes"
    for (int r = 0; r < n; r++) {
      const double kept = column[r][i];
      column[r][i] = column[r][i + 1];
      column[r][i + 1] = kept;
    }
}

// Where the keys ask for it, but with arithmetic.
void scale(const double *key, double **column, int n) {
  for (int i = 0; i < n; i++)
    if (key[i] > 1.0)
      // expect: mem-strided-inner-loop medium "from row to row" "8 bytes"
      for (int r = 0; r < n; r++)
        column[r][i] *= 0.5;
}

// Where the keys ask for it, sums.
void add(const int *rows, const double *table, double *all, int n) {
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    // expect: mem-strided-inner-loop medium "8 * n bytes" "8 bytes"
    for (int r = 0; r < rows[i]; r++)
      sum += table[i + (long)r * n];
    all[i] = sum;
  }
}
