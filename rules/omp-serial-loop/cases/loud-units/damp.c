// flags: -fopenmp
#include "vectors.h"

void damp(double *what, const double *by, int n) {
  // expect: omp-serial-loop medium "add.c:6" unsafe-fix
  for (int i = 0; i < n; i++)
    what[i] = 0.9 * what[i] - 0.01 * by[i];
}
