// Iterations hand over in their order, and the first half of them is longer: only that is unequal.
// rule: omp-load-imbalance @loop cost
// watch: omp
// flags: -fopenmp
// twin: both threads have as much to do, though one waits for the other
#include "truth.h"

int main(void) {
  for (int step = 0; step < 6; step++) {
#pragma omp parallel for ordered schedule(static) // @loop
    for (int i = 0; i < 16; i++) {
#ifdef TWIN
      work(0.0005);
#else
      work(i < 8 ? 0.0025 : 0.0005);
#endif
#pragma omp ordered
      work(0.0005);
    }
  }
  say("loop", 6 * 8 * 0.001);
  return 0;
}
