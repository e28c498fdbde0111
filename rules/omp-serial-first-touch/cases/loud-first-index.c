// flags: -fopenmp
// Arrays whose first index is not zero: a pointer that is moved, and loops that start where those of the team start.
#include <stdio.h>
#include <stdlib.h>

struct grid {
  int first, last, rim;
  double *field, *other;
};

double **matrix(int first_row, int last_row, int first_column, int last_column) {
  const int rows = last_row - first_row + 1, columns = last_column - first_column + 1;
  double **m = malloc((size_t)rows * sizeof *m);
  m -= first_row;
  m[first_row] = malloc(((size_t)rows * columns + 1) * sizeof(double));
  m[first_row] += 1 - first_column;
  for (int i = first_row + 1; i <= last_row; i++)
    m[i] = m[i - 1] + columns;
  // expect: omp-serial-first-touch medium "'m'" "line 30"
  for (int i = first_row; i <= last_row; i++)
    for (int j = first_column; j <= last_column; j++)
      m[i][j] = 0;
  return m;
}

void advance(int rows, int columns, int steps) {
  double **u = matrix(1, rows, 1, columns);
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = 1; i <= rows; i++)
      for (int j = 1; j <= columns; j++)
        u[i][j] += 0.5;
  }
}

void shifted(double *out, int rows, int steps) {
  double *weight = (double *)malloc((size_t)(rows + 4) * sizeof(double)) + 2 - 1;
  // expect: omp-serial-first-touch medium "'weight'" "line 43"
  for (int i = -1; i < rows + 2; i++)
    weight[i] = i;
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = 0; i < rows; i++)
      out[i] += weight[i];
  }
}

void start(struct grid *g) {
  g->field = malloc((size_t)(g->last + g->rim) * sizeof(double));
  g->other = malloc((size_t)(g->last + g->rim) * sizeof(double));
  // expect: omp-serial-first-touch medium "'field'" "line 66"
  for (int i = g->first; i < g->last; i++)
    g->field[i] = i;
  // A rim, as far as the loops of the team tell.
  for (int i = g->rim; i < g->last; i++)
    g->other[i] = i;
}

void smooth(struct grid *g, int steps) {
  start(g);
  // The rest is no reason to speak of the loop that fills it.
  for (int i = g->rim; i < g->first; i++)
    g->field[i] = 0;
  for (int t = 0; t < steps; t++) {
#pragma omp parallel for
    for (int i = g->first; i < g->last; i++) {
      g->field[i] *= 0.5;
      g->other[i] *= 0.5;
    }
  }
}
