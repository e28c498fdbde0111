// flags: -fopenmp
// The index is a variable of its own, set in each iteration, as is the pointer to a row.
#include <stdlib.h>

struct table {
  int blocks;
  int *begin;
  double *of_columns;
};

void relax(int rows, int columns, int steps) {
  int i, j, k, t;
  double *a = malloc((size_t)rows * columns * sizeof *a), *row;
  // expect: omp-serial-first-touch medium "'a'" "line 22"
  for (i = 0; i < rows; i++)
    for (j = 0; j < columns; j++) {
      k = i * columns + j;
      a[k] = 1.0;
    }
  for (t = 0; t < steps; t++) {
#pragma omp parallel for private(j, row)
    for (i = 1; i < rows; i++) {
      row = &a[i * columns];
      for (j = 0; j < columns; j++)
        row[j] *= 0.5;
    }
  }
  free(a);
}

// Blocks that start where a table says are filled one after another, not again and again.
void blocks(struct table *t, int columns, int steps) {
  int b, j, n, k, s;
  double *values = malloc((size_t)t->begin[t->blocks] * columns * sizeof *values);
  for (b = 0; b < t->blocks; b++)
    // expect: omp-serial-first-touch medium "'values'" "line 44"
    for (j = 0; j < columns; j++)
      for (n = 0; n < t->begin[b + 1] - t->begin[b]; n++) {
        k = t->begin[b] + n;
        values[j * t->begin[t->blocks] + k] = n;
      }
  for (s = 0; s < steps; s++) {
#pragma omp parallel for private(n)
    for (j = 0; j < columns; j++)
      for (n = 0; n < t->begin[t->blocks]; n++)
        t->of_columns[j] += values[j * t->begin[t->blocks] + n];
  }
  free(values);
}

// An element more with each iteration.
void pack(const double *from, double *out, int rows, int columns, int steps) {
  int i, j, t, n = 0;
  double *part = malloc((size_t)rows * columns * 4 * sizeof *part);
  // expect: omp-serial-first-touch medium "'part'" "line 64"
  for (i = 0; i < rows; i++)
    for (j = 0; j < columns; j++) {
      double *p = part + 4 * n++;
      p[0] = from[i];
      p[1] = p[2] = p[3] = from[j];
    }
  for (t = 0; t < steps; t++) {
#pragma omp parallel for
    for (i = 0; i < rows * columns; i++)
      out[i] += part[4 * i] + part[4 * i + 3];
  }
  free(part);
}

// Pointers that each step exchanges by a third one.
void exchange(const double *weight, int n, int steps) {
  double *from = malloc(n * sizeof *from), *to = malloc(n * sizeof *to), *other;
  // expect: omp-serial-first-touch medium "'from'" "line 81"
  for (int i = 0; i < n; i++)
    from[i] = 1.0;
  for (int t = 0; t < steps; t++) {
    other = from;
    from = to;
    to = other;
#pragma omp parallel for
    for (int i = 1; i < n - 1; i++)
      to[i] = weight[i] * (from[i - 1] + from[i + 1]);
  }
}
