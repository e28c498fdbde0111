// The first half of the iterations is three times as long as the second.
// rule: omp-load-imbalance @loop cost
// watch: omp
// flags: -fopenmp
// twin: all iterations are as long
#include "truth.h"

int main(void) {
  for (int step = 0; step < 15; step++) {
#pragma omp parallel for schedule(static) // @loop
    for (int i = 0; i < 8; i++) {
#ifdef TWIN
      work(0.002);
#else
      work(i < 4 ? 0.003 : 0.001);
#endif
    }
  }
  say("loop", 15 * 4 * 0.001);
  return 0;
}
