// Each thread is the late one in every other step.
// rule: omp-load-imbalance @loop cost
// watch: omp
// flags: -fopenmp
// twin: both threads have as much to do
#include "truth.h"

int main(void) {
  for (int step = 0; step < 12; step++) {
#pragma omp parallel for schedule(static) // @loop
    for (int i = 0; i < 2; i++) {
#ifdef TWIN
      work(0.006);
#else
      work((i + step) % 2 ? 0.009 : 0.003);
#endif
    }
  }
  say("loop", 12 * 0.003);
  return 0;
}
