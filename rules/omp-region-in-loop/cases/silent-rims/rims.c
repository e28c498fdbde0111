// flags: -fopenmp
// Rows of a border in functions that are called once, by a team, or with guards; planes; rows of which nobody knows
// how many there are: components of few long rows.
#include "rims.h"

void pack_top(const double *field, double *buffer, int depth, int columns, int rows) {
  for (int j = 0; j < depth; j++) {
    // expect: omp-region-in-loop low
#pragma omp parallel for
    for (int k = -depth; k < columns + depth; k++)
      buffer[j * (columns + 2 * depth) + k + depth] = field[(rows - j) * (columns + 4) + k];
  }
}

void reflect(double *field, int depth, int columns, int rows) {
  for (int j = 0; j < depth; ++j) {
#pragma omp parallel for schedule(static)
    for (int k = 0 - depth; k < columns + depth; ++k)
      field[(rows + j) * columns + k] = field[(rows - 1 - j) * columns + k];
  }
}

void mirror(double *field, int depth, int columns, int rows) {
  for (int j = 0; j < depth; ++j) {
#pragma omp parallel for if (columns > 20000)
    for (int k = 0 - depth; k < columns + depth; ++k)
      field[(rows + j) * columns + k] = field[(rows - 1 - j) * columns + k];
  }
}

void plane(double *field, int depth, int columns, int rows, int planes) {
  for (int j = 0; j < depth; ++j) {
#pragma omp parallel for
    for (int k = 0; k < rows; ++k)
      for (int l = 0; l < columns; ++l)
        field[((planes + j) * rows + k) * columns + l] = field[((planes - 1 - j) * rows + k) * columns + l];
  }
}

void components(double *field, const double *source, int depth, int columns, int pitch) {
  for (int j = 0; j < depth; j++) {
#pragma omp parallel for
    for (int k = 0; k < columns; k++)
      field[j * pitch + k] += source[j * pitch + k];
  }
}
