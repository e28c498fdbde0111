// flags: -fopenmp
#include "matrix.h"

int main(void) {
  static matrix a[100], b[100];
  double sum = 0;
  matrix t, last;
  for (int i = 0; i < 100; i++)
    a[i].e[0] = b[i].e[1] = i;
#pragma omp parallel for reduction(+ : sum) private(t)
  for (int i = 0; i < 100; i++) {
    product(&a[i], &b[i], &t);
    sum += t.e[0];
  }
  last = b[0];
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 100; i++) {
    count(&last, a[i].e[0]);
    put(b, i, &a[i]);
    sum += trace(&last, i) + b[i].e[0];
  }
  return sum > 0 ? 0 : 1;
}
