// An atomic update that no instruction does: the library takes a lock for it, and the team queues.
// rule: omp-critical-section @here -
// watch: omp
// with: gcc
// flags: -fopenmp
// twin: a reduction
#include "truth.h"

int main(void) {
  long double sum = 0;
#ifdef TWIN
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 40000000; i++)
    sum += i;
#else
#pragma omp parallel for
  for (int i = 0; i < 1000000; i++)
#pragma omp atomic // @here
    sum += i;
#endif
  printf("%Lg\n", sum);
  return 0;
}
