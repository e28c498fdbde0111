// A team is opened for each of many short loops.
// rule: omp-region-in-loop @region -
// watch: omp
// flags: -fopenmp
// also: omp-small-loop (so short that one thread would do), omp-load-imbalance (short regions on a loaded machine)
// twin: one team for all
#include "truth.h"

#define N 4000

static double field[N];

int main(void) {
#ifdef TWIN
#pragma omp parallel
  for (int step = 0; step < 20000; step++) {
#pragma omp for schedule(static)
    for (int i = 0; i < N; i++)
      field[i] = 0.5 * field[i] + i;
  }
#else
  for (int step = 0; step < 20000; step++) {
#pragma omp parallel for schedule(static) // @region
    for (int i = 0; i < N / 4; i++)
      field[i] = 0.5 * field[i] + i;
  }
#endif
  printf("%g\n", field[N - 1]);
  return 0;
}
