// The team waits at the end of a single.
// rule: omp-single-wait @single cost
// watch: omp
// flags: -fopenmp
// twin: all share the work
#include "truth.h"

int main(void) {
#pragma omp parallel
  for (int step = 0; step < 8; step++) {
#pragma omp for schedule(static)
    for (int i = 0; i < 2; i++)
      work(0.004);
#ifdef TWIN
#pragma omp for schedule(static)
    for (int i = 0; i < 2; i++)
      work(0.005);
#else
#pragma omp single // @single
    work(0.01);
#endif
  }
  say("single", 8 * 0.005);
  return 0;
}
