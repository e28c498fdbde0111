// Rows that a recurrence goes on with from line to line: nothing puts there what it finds before the first element that
// its loop fills, or not all of it, or the loop fills what lies behind what it reads, or only where data say so.
void filter(const double *in, double *out, double *row, int n, int m) {
  for (int j = 0; j < m; j++)
    for (int i = 1; i < n; i++) {
      row[i] = 0.5 * row[i - 1] + in[(long)i * m + j];
      out[(long)i * m + j] = row[i];
    }
}

void filter_two(const double *in, double *out, double *row, int n, int m) {
  for (int j = 0; j < m; j++) {
    row[1] = in[m + j];
    for (int i = 2; i < n; i++) {
      row[i] = 0.5 * row[i - 2] + in[(long)i * m + j];
      out[(long)i * m + j] = row[i];
    }
  }
}

void look_ahead(const double *in, double *out, double *row, int n, int m) {
  for (int j = 0; j < m; j++) {
    row[0] = in[j];
    for (int i = 1; i < n; i++) {
      out[(long)i * m + j] = row[i + 1];
      row[i] = in[(long)i * m + j];
    }
  }
}

void sometimes(const double *in, double *out, double *row, int n, int m) {
  for (int j = 0; j < m; j++) {
    row[0] = in[j];
    for (int i = 1; i < n; i++) {
      out[(long)i * m + j] = row[i - 1];
      if (in[(long)i * m + j] > 0.0)
        row[i] = in[(long)i * m + j];
    }
  }
}
