#include "lengths.h"

void transform(double *line, int n);

void columns(double *table, double *line, int n, int rows) {
  const int length = whole_lines(n);
  for (int k = 0; k < n; k++) {
    // expect: mem-strided-inner-loop medium "a whole row"
    for (int i = 0; i < rows; i++)
      line[i] = table[(long)i * length + k];
    transform(line, rows);
  }
}

void columns_as_given(double *table, double *line, int n, int rows) {
  const int length = given(n);
  for (int k = 0; k < n; k++) {
    // expect: mem-strided-inner-loop medium "a whole row"
    for (int i = 0; i < rows; i++)
      line[i] = table[(long)i * length + k];
    transform(line, rows);
  }
}

// Along the rows.
void rows(double *table, double *sum, int n, int count) {
  const int length = next_power(n);
  for (int i = 0; i < count; i++)
    for (int k = 0; k < n; k++)
      sum[i] += table[(long)i * length + k];
}

// Every other row has lines of its own: none is needed again.
void far_columns(double *table, double *line, int n, int rows) {
  const int length = next_power(n);
  for (int k = 0; k < n; k += 8)
    // expect: mem-strided-inner-loop medium "a whole row"
    for (int i = 0; i < rows; i++)
      line[i] += table[(long)i * length + k];
}

// Rounded up, or as it is given.
static int pitch;
void set_rounded(int n) { pitch = next_power(n); }
void set_given(int n) { pitch = n; }

void sums(double *table, double *sum, int n, int rows) {
  for (int k = 0; k < n; k++) {
    double all = table[k];
    // expect: mem-strided-inner-loop medium "8 * pitch bytes"
    for (int i = 1; i < rows; i++)
      all += table[(long)i * pitch + k];
    sum[k] = all;
  }
}

// Rows of so few elements.
void sums_of_components(double *table, double *sum, int kind, int rows) {
  const int length = components(kind);
  for (int k = 0; k < length; k++) {
    double all = 0.0;
    // expect: mem-strided-inner-loop medium "a whole row"
    for (int i = 0; i < rows; i++)
      all += table[(long)i * length + k];
    sum[k] = all;
  }
}
