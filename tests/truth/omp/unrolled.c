// Three steps, which compilers unroll: one loop of the source has three places in the program.
// rule: omp-load-imbalance @loop cost
// watch: omp
// flags: -fopenmp -O3
// twin: both threads have as much to do
#include "truth.h"

int main(void) {
  for (int step = 0; step < 3; step++) {
#pragma omp parallel for // @loop
    for (int i = 0; i < 2; i++) {
#ifdef TWIN
      work(0.02);
#else
      work(i ? 0.01 : 0.03);
#endif
    }
  }
  say("loop", 3 * 0.01);
  return 0;
}
