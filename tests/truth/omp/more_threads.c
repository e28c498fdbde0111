// Twice as many threads as processors, and thread 1 has more to do: the head says the first, a finding the second, whose
// seconds are those of the work and not those that threads wait for a processor.
// rule: omp-load-imbalance @loop cost
// head: (\d+) threads share \d+ processors? @threads
// watch: omp
// flags: -fopenmp
// twin: one thread less than there are processors (at least one), which have as much to do
#include "truth.h"

int main(void) {
  int processors = omp_get_num_procs();
#ifdef TWIN
  int threads = processors > 1 ? processors - 1 : 1;
#else
  int threads = 2 * processors;
#endif
  for (int step = 0; step < 8; step++) {
#pragma omp parallel for schedule(static, 1) num_threads(threads) // @loop
    for (int i = 0; i < threads; i++)
#ifdef TWIN
      work(0.01);
#else
      work(i == 1 ? 0.04 : 0.01);
#endif
  }
  say("loop", 8 * 0.03 * (threads - 1) / threads);
  printf("@threads %d\n", threads);
  return 0;
}
