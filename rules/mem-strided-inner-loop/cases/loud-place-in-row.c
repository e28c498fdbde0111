// The factor of a row stands in the row itself, where a counter says: `a[i][k]` beside `a[i][j]`. In either order each
// row sees its own changes one after the other.
#define COLUMNS 700

void invert(double *a, double *w, int n) {
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++) {
      const double other = w[k * n + j];
      // expect: mem-strided-inner-loop medium "8 * n bytes" "make 'j' (line 7) the innermost loop" no-fix
      for (int i = 0; i < n; i++)
        a[i * n + j] -= a[i * n + k] * other;
    }
}

// Where in which row is not known: a number that is given may be one of rows.
void subtract_at(double *a, const double *w, int n, int place) {
  for (int j = 0; j < n; j++) {
    const double other = w[j];
    // expect: mem-strided-inner-loop low "8 * n bytes"
    for (int i = 0; i < n; i++)
      a[i * n + j] -= a[i * n + place] * other;
  }
}

// A counter that goes from row to row says nothing of the place in one.
void subtract_rows(double *a, const double *w, int n, int m) {
  for (int k = 0; k < m; k++)
    for (int j = 0; j < COLUMNS; j++) {
      const double other = w[j];
      // expect: mem-strided-inner-loop low "5600 bytes"
      for (int i = 0; i < n; i++)
        a[i * COLUMNS + j] -= a[i * COLUMNS + COLUMNS * k] * other;
    }
}
