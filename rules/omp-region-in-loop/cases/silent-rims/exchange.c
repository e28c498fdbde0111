// flags: -fopenmp
#include "rims.h"

void exchange(double **fields, double *buffer, int number, int depth, int columns, int rows, int planes) {
  pack_top(fields[0], buffer, depth, columns, rows);
  for (int f = 0; f < number; f++) {
    mirror(fields[f], depth, columns, rows);
    components(fields[f], fields[0], depth, columns, 8 * columns);
    plane(fields[f], depth, columns, rows, planes);
#pragma omp parallel
    {
#pragma omp master
      reflect(fields[f], depth, columns, rows);
    }
  }
}
