// A function of the C library writes the threads' seeds, which lie side by side.
// rule: omp-false-sharing @seed -
// watch: sharing
// with: clang
// flags: -O2 -fopenmp
// twin: each seed is the thread's own
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned seeds[8] = {1, 2, 3, 4, 5, 6, 7, 8};

int main(void) {
  long inside = 0;
#pragma omp parallel reduction(+ : inside)
  {
    int me = omp_get_thread_num();
#ifdef TWIN
    unsigned own = me, *seed = &own;
#else
    unsigned *seed = &seeds[me];
#endif
#pragma omp for
    for (int i = 0; i < 200000; i++)
      inside += rand_r(seed) % 2; // @seed
  }
  printf("%ld\n", inside);
  return 0;
}
