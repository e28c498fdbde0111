// flags: -fopenmp
// Outside of a region the present team is one thread: what asks for that says nothing of the team that opens.
#include <omp.h>

long count(int n, const double *a, long *of_threads) {
  int threads = omp_get_num_threads();
  long found = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (threads > 1)
      of_threads[i] = i;
    else
      // expect: omp-shared-counter medium "update the same 'found'" "reduction(+:found)"
      found += i;
  }
  return found;
}
