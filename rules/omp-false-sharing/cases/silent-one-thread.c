// flags: -fopenmp
// Only one thread writes, or one after another, or each in memory of its own.
#include <omp.h>

void prefix(double *sums, const double *values, int count) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0)
      for (int i = 0; i < count; i++)
        sums[omp_get_thread_num()] += values[i];
#pragma omp single
    for (int i = 0; i < count; i++)
      sums[omp_get_thread_num() + 1] += values[i];
  }
}

double own(const double *values, int count) {
  double total = 0.0;
#pragma omp parallel reduction(+ : total)
  {
    double part[4] = {0.0, 0.0, 0.0, 0.0};
#pragma omp for
    for (int i = 0; i < count; i++)
      part[i % 4] += values[i];
    total += part[0] + part[1] + part[2] + part[3];
  }
  return total;
}

int largest(const int *slots, const int *keys, int count) {
  int best = 0;
#pragma omp parallel for reduction(max : best)
  for (int i = 0; i < count; i++)
    best = keys[i] > slots[omp_get_thread_num()] && keys[i] > best ? keys[i] : best;
  return best;
}
