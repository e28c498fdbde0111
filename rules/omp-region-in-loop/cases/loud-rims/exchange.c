// flags: -fopenmp
#include "rims.h"

void exchange(double **fields, double *buffer, int number, int depth, int columns, int rows) {
  for (int f = 0; f < number; f++) {
    pack_top(fields[f], buffer, depth, columns, rows);
    reflect(fields[f], depth, columns, rows);
  }
}
