// A triangle in one region for all steps: the second thread gets three quarters of it.
// rule: omp-load-imbalance @loop cost
// watch: omp
// flags: -fopenmp
// twin: rows are dealt out in turn
#include "truth.h"

int main(void) {
#ifdef TWIN
#define SHARED schedule(static, 1)
#else
#define SHARED schedule(static)
#endif
#pragma omp parallel
  for (int step = 0; step < 8; step++) {
#pragma omp for SHARED // @loop
    for (int row = 0; row < 200; row++)
      work(1e-6 * row);
  }
  say("loop", 8 * 1e-6 * 50 * 100);
  return 0;
}
