// The region has no shared loop: its first thread does more by itself.
// rule: omp-load-imbalance @region cost
// watch: omp
// flags: -fopenmp
// twin: both do as much
#include "truth.h"

int main(void) {
  for (int step = 0; step < 10; step++) {
#pragma omp parallel // @region
    {
#ifdef TWIN
      work(0.005);
#else
      work(omp_get_thread_num() ? 0.002 : 0.008);
#endif
    }
  }
  say("region", 10 * 0.003);
  return 0;
}
