// Two loops of one region; only the second divides its work badly.
// rule: omp-load-imbalance @second cost
// watch: omp
// flags: -fopenmp
// twin: neither does
#include "truth.h"

int main(void) {
#pragma omp parallel
  for (int step = 0; step < 10; step++) {
#pragma omp for schedule(static)
    for (int i = 0; i < 4; i++)
      work(0.001);


#pragma omp for schedule(static) // @second
    for (int i = 0; i < 4; i++) {
#ifdef TWIN
      work(0.001);
#else
      work(i < 2 ? 0.001 : 0.003);
#endif
    }
  }
  say("second", 10 * 0.002);
  return 0;
}
