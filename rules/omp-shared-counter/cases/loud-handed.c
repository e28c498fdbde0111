// flags: -fopenmp
// Records and arrays that stand outside of the loop, which a function fills for each iteration.
#include <stdlib.h>
#include <string.h>

typedef struct {
  double e[3][3];
} matrix;

static void product(const matrix *a, const matrix *b, matrix *c) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++)
        sum += a->e[i][k] * b->e[k][j];
      c->e[i][j] = sum;
    }
}

double traces(const matrix *a, const matrix *b, double *trace, int n) {
  matrix t;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    // expect: omp-shared-counter high "region at line 22 set the same 't'" "add private(t)" no-fix
    product(&a[i], &b[i], &t);
    trace[i] = t.e[0][0] + t.e[1][1] + t.e[2][2];
  }
  return trace[0];
}

// The function writes to its own list only what is near.
static int near(const double *x, int n, double at, int *list) {
  int found = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > at)
      list[found++] = i;
  return found;
}

static double pressure(const double *x, int n, double at, int *list) {
  const int found = near(x, n, at, list);
  double sum = 0;
  for (int k = 0; k < found; k++)
    sum += x[list[k]];
  return sum;
}

static int neighbours[1000];

void pressures(const double *x, double *p, int n) {
#pragma omp parallel for schedule(dynamic, 32)
  for (int i = 0; i < n; i++)
    // expect: omp-shared-counter medium "set the same 'neighbours'" "an array of the iteration's own" no-fix
    p[i] = pressure(x, n, x[i], neighbours);
}

// Where a library function fills it, and behind a pointer.
void reverse(double *x, int rows, int columns) {
  double *row = malloc(columns * sizeof(double));
#pragma omp parallel for
  for (int i = 0; i < rows; i++) {
    // expect: omp-shared-counter high "set the same 'row'" "give each iteration elements of its own" no-fix
    memcpy(row, x + i * columns, columns * sizeof(double));
    for (int j = 0; j < columns; j++)
      x[i * columns + j] = row[columns - 1 - j];
  }
  free(row);
}

// Declared in the loop, and yet one for all; a function behind a pointer that says which of its arguments it fills.
typedef void (*flux)(const double *left, const double *right, double *out);

void sweep(double (*u)[200], int rows, int columns, flux f) {
#pragma omp parallel for
  for (int i = 0; i < rows; i++) {
    static double out[200];
    // expect: omp-shared-counter medium "set the same 'out'" "without 'static'" no-fix
    f(u[i], u[i] + 1, out);
    for (int j = 0; j < columns; j++)
      u[i][j] -= out[j];
  }
}
