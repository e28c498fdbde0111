// Threads of a team write neighbouring elements.
// rule: omp-false-sharing @count -
// watch: sharing
// with: clang
// flags: -O2 -fopenmp
// twin: each keeps its sum in a variable of its own
#include <omp.h>
#include <stdio.h>

static double sums[8];

int main(void) {
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#ifdef TWIN
    double sum = 0;
#pragma omp for
    for (int i = 0; i < 1000000; i++)
      sum += 0.5 * i;
    sums[me] = sum;
#else
    volatile double *mine = &sums[me];
#pragma omp for
    for (int i = 0; i < 1000000; i++)
      *mine += 0.5 * i; // @count
#endif
  }
  printf("%g\n", sums[0] + sums[1]);
  return 0;
}
