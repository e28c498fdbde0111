// Of the chunks that are handed out, the last one is the longest.
// rule: omp-load-imbalance @loop -
// watch: omp
// flags: -fopenmp
// twin: it comes first
#include "truth.h"

int main(void) {
  for (int step = 0; step < 5; step++) {
#pragma omp parallel for schedule(dynamic, 1) // @loop
    for (int i = 0; i < 5; i++) {
#ifdef TWIN
      work(i == 0 ? 0.016 : 0.004);
#else
      work(i == 4 ? 0.016 : 0.004);
#endif
    }
  }
  return 0;
}
