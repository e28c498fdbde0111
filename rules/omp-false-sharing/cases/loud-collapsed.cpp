// flags: -fopenmp
// Collapsed loops that hand out single elements of a line, or have few iterations in all.
#include <cstddef>

struct Lattice {
  long width, height;
  double *cells;
};
static inline double *cell(const Lattice *of, long x, long y) { return &of->cells[(x * of->height + y) * 19]; }

void stream(Lattice *to, const Lattice *from) {
#pragma omp parallel for collapse(3) schedule(static, 1)
  for (long x = 0; x < to->width; x++)
    for (long y = 0; y < to->height; y++)
      for (long q = 0; q < 19; q++)
        // expect: omp-false-sharing high "threads with neighbouring iterations" "cells"
        cell(to, x, y)[q] = cell(from, x, y)[q];
}

// Six totals in all.
void moments(int columns, const double *in, double *out) {
#pragma omp parallel for collapse(2)
  for (int r = 0; r < 3; r++)
    for (int m = 0; m < 2; m++)
      for (int c = 0; c < columns; c++)
        // expect: omp-false-sharing high "threads with neighbouring iterations" "out"
        out[r * 2 + m] += in[r * columns + c] * (m + 1);
}

// Chunks of a row each, and two rows to a line.
void rows_in_turn(int rows, double *out) {
#pragma omp parallel for collapse(2) schedule(static, 4)
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < 4; c++)
      // expect: omp-false-sharing high "threads with neighbouring iterations" "out"
      out[r * 4 + c] += 1.0;
}
