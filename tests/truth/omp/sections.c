// One section takes three times as long as the other.
// rule: omp-load-imbalance @sections cost
// watch: omp
// flags: -fopenmp
// twin: both take as long
#include "truth.h"

int main(void) {
  for (int step = 0; step < 10; step++) {
#pragma omp parallel sections // @sections
    {
#pragma omp section
#ifdef TWIN
      work(0.004);
#else
      work(0.012);
#endif
#pragma omp section
      work(0.004);
    }
  }
  say("sections", 10 * 0.004);
  return 0;
}
