// Four threads, of which the last has twice as much to do, also where there are fewer processors.
// rule: omp-load-imbalance @loop cost
// watch: omp
// threads: 4
// flags: -fopenmp
// twin: all have as much
#include "truth.h"

int main(void) {
  for (int step = 0; step < 10; step++) {
#pragma omp parallel for schedule(static) // @loop
    for (int i = 0; i < 4; i++) {
#ifdef TWIN
      work(0.003);
#else
      work(i == 3 ? 0.006 : 0.003);
#endif
    }
  }
  say("loop", 10 * (0.006 - 0.00375));
  return 0;
}
