// flags: -fopenmp
#include "matrix.h"

void product(const matrix *a, const matrix *b, matrix *c) {
  double x = a->e[0] * b->e[0];
  c->e[0] = x;
}

// An argument chooses the element.
void put(matrix *all, int at, const matrix *one) {
  double x = one->e[0];
  all[at].e[0] = x;
}

// One at a time.
void count(matrix *a, double by) {
#pragma omp critical
  a->e[0] = by;
}

double trace(matrix *a, int n) { return a->e[0] * n + a->e[3]; }
