// flags: -fopenmp
#include "matrix.h"

static int list[100];

int main(void) {
  static matrix a[100], b[100];
  static double x[100];
  double sum = 0;
  int many = 0;
  matrix t1, t2;
  for (int i = 0; i < 100; i++)
    a[i].e[0] = b[i].e[1] = x[i] = i;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; i++) {
    // expect: omp-shared-counter high "set the same 't1'" "add private(t1)" no-fix
    product(&a[i], &b[i], &t1);
    // expect: omp-shared-counter high "set the same 't2'" "add private(t2)" no-fix
    product(&t1, &b[i], &t2);
    sum += t2.e[0];
  }
#pragma omp parallel for reduction(+ : many)
  for (int i = 0; i < 100; i++)
    // expect: omp-shared-counter medium "set the same 'list'" "an array of the iteration's own" no-fix
    many += larger(x, 100, i, list);
  return sum + many > 0 ? 0 : 1;
}
