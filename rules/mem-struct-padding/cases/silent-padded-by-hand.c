// flags: -fopenmp
// The last member fills the cache line, so that neighbours in the array do not share one.
#include <omp.h>

struct slot {
  int hits;
  double sum;
  int misses;
  double worst;
  char fill[32];
};

static struct slot slots[128];

void count(const double *values, int n) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; i++) {
    struct slot *mine = &slots[omp_get_thread_num()];
    mine->hits += values[i] > 0.0;
    mine->misses += values[i] <= 0.0;
    mine->sum += values[i];
    mine->worst = values[i] < mine->worst ? values[i] : mine->worst;
  }
}
