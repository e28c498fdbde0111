// flags: -fopenmp
// Each thread counts in a record of its own cache line; the empty bytes are the purpose.
#include <omp.h>
#include <stdalign.h>

struct counter {
  alignas(64) int hits;
  double sum;
  int misses;
  double worst;
};

static struct counter counters[256];

void count(const double *values, int n) {
#pragma omp parallel
  {
    struct counter *mine = &counters[omp_get_thread_num()];
#pragma omp for schedule(static)
    for (int i = 0; i < n; i++) {
      mine->hits += values[i] > 0.0;
      mine->misses += values[i] <= 0.0;
      mine->sum += values[i];
      mine->worst = values[i] < mine->worst ? values[i] : mine->worst;
    }
  }
}
