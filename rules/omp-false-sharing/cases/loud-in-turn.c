// flags: -fopenmp
// Each thread counts in its turn: the iteration says by its number, or by what it finds, whether it does. Where one
// iteration of a loop over the threads is meant, a line moves once.
#include <omp.h>

void tally(const int *keys, long *hits, int n) {
#pragma omp parallel
  {
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int i = 0; i < n; i++)
      if (keys[i] % all == me)
        // expect: omp-false-sharing high "neighbouring threads" "hits"
        hits[me]++;
  }
}

void multiples(const int *keys, long *found, int n) {
#pragma omp parallel
  {
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int i = me; i < n; i += all)
      if (keys[i] % 3 == 0)
        // expect: omp-false-sharing high "neighbouring threads" "found"
        found[me]++;
  }
}

void one_after_another(const double *parts, double *sums, int threads) {
#pragma omp parallel num_threads(threads)
  {
    int me = omp_get_thread_num();
    for (int t = 0; t < threads; t++)
      if (t == me)
        sums[me] += parts[t];
  }
}
