// flags: -fopenmp
// One region for each row of a border, in functions that loops of other files call.
#include "rims.h"

void pack_top(const double *field, double *buffer, int depth, int columns, int rows) {
  for (int j = 0; j < depth; j++) {
    // expect: omp-region-in-loop medium "the loop at line 6" "one row of a border" "open the region once, around the loop at line 6" no-fix
#pragma omp parallel for
    for (int k = -depth; k < columns + depth; k++)
      buffer[j * (columns + 2 * depth) + k + depth] = field[(rows - j) * (columns + 4) + k];
  }
}

void reflect(double *field, int depth, int columns, int rows) {
  for (int j = 0; j < depth; ++j) {
    // expect: omp-region-in-loop medium "the loop at line 15" "one row of a border"
#pragma omp parallel for schedule(static)
    for (int k = 0 - depth; k < columns + depth; ++k)
      field[(rows + j) * columns + k] = field[(rows - 1 - j) * columns + k];
  }
}
