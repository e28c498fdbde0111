// flags: -fopenmp
#include "matrix.h"

void product(const matrix *a, const matrix *b, matrix *c) {
  double x = a->e[0] * b->e[0] + a->e[1] * b->e[2], y = a->e[0] * b->e[1] + a->e[1] * b->e[3];
  c->e[0] = x;
  c->e[1] = y;
  c->e[2] = a->e[2] * b->e[0] + a->e[3] * b->e[2];
  c->e[3] = a->e[2] * b->e[1] + a->e[3] * b->e[3];
}

static int find(const double *x, int n, double than, int *list) {
  int found = 0;
  for (int i = 0; i < n; i++)
    if (x[i] > than)
      list[found++] = i;
  return found;
}

int larger(const double *x, int n, double than, int *list) {
  int found = find(x, n, than, list), even = 0;
  for (int i = 0; i < found; i++)
    even += list[i] % 2 == 0;
  return even;
}
