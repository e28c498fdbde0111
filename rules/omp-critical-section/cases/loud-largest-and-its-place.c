// flags: -fopenmp
// The largest value and where it was: no reduction clause does that, but each thread can keep its own.
#include <math.h>

double residual(int row, int column);
extern int worst_row, worst_column;

double largest(int rows, int columns) {
  double big = 0.0;
#pragma omp parallel for
  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++) {
      double r = fabs(residual(row, column));
      // expect: omp-critical-section medium "only to update 'big'" "keep an extremum of its own with its place"
#pragma omp critical
      if (r > big) {
        big = r;
        worst_row = row;
        worst_column = column;
      }
    }
  return big;
}

// A first look without the lock: hardly any iteration takes it.
double looked_at_first(int rows) {
  double big = 0.0;
#pragma omp parallel for
  for (int row = 0; row < rows; row++) {
    double r = fabs(residual(row, 0));
    if (r > big) {
#pragma omp critical
      if (r > big) {
        big = r;
        worst_row = row;
      }
    }
  }
  return big;
}

double largest_looked_at_first(int rows) {
  double big = 0.0;
#pragma omp parallel for
  for (int row = 0; row < rows; row++) {
    double r = fabs(residual(row, 0));
    if (big < r) {
// expect: omp-critical-section low "only to update 'big'" no-fix
#pragma omp critical
      if (r > big)
        big = r;
    }
  }
  return big;
}

// The first look is at something else.
double largest_of_some(int rows, double least) {
  double big = 0.0;
#pragma omp parallel for
  for (int row = 0; row < rows; row++) {
    double r = fabs(residual(row, 0));
    if (r > least) {
// expect: omp-critical-section medium "only to update 'big'" unsafe-fix
#pragma omp critical
      if (r > big)
        big = r;
    }
  }
  return big;
}

// Where the largest one was so far decides what the next iteration does.
double by_place(int rows) {
  double big = 0.0;
#pragma omp parallel for
  for (int row = 0; row < rows; row++) {
    double r = fabs(residual(row, worst_column));
#pragma omp critical
    if (r > big) {
      big = r;
      worst_column = row;
    }
  }
  return big;
}

// The loop ends by what it has found.
double until(int rows, double limit) {
  double big = 0.0;
#pragma omp parallel for
  for (int row = 0; row < rows; row++) {
    if (big > limit)
      continue;
    double r = fabs(residual(row, 0));
#pragma omp critical
    if (r > big) {
      big = r;
      worst_row = row;
    }
  }
  return big;
}

// Once per thread.
double of_each_thread(int rows) {
  double big = 0.0;
#pragma omp parallel
  {
    double mine = 0.0;
    int place = 0;
#pragma omp for
    for (int row = 0; row < rows; row++) {
      double r = fabs(residual(row, 0));
      if (r > mine) {
        mine = r;
        place = row;
      }
    }
#pragma omp critical
    if (mine > big) {
      big = mine;
      worst_row = place;
    }
  }
  return big;
}

// A counter that is declared before the loop, as C was written for long.
void add_columns(int n, const double *a, const double *x, double *y) {
  int i, j;
#pragma omp parallel for private(i)
  for (j = 0; j < n; j++) {
    // expect: omp-critical-section medium "only to update 'y[i]'" "array of its own"
#pragma omp critical
    for (i = 0; i < n; i++)
      y[i] += x[j] * a[i + j * n];
  }
}
