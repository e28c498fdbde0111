// flags: -fopenmp
// Each thread of the team exchanges the two pointers: for an even number of threads they are as before, or half-way.
#include <utility>

void turns(int n, int steps, double *now, double *next) {
#pragma omp parallel
  for (int t = 0; t < steps; t++) {
#pragma omp for
    for (int i = 1; i < n - 1; i++)
      next[i] = 0.5 * (now[i - 1] + now[i + 1]);
    double *kept = now;
    // expect: omp-shared-counter high "exchange the same 'now' and 'next'" "firstprivate(now, next)"
    now = next;
    next = kept;
  }
}

void turns_by_swap(int n, int steps, double *now, double *next) {
#pragma omp parallel
  for (int t = 0; t < steps; t++) {
#pragma omp for
    for (int i = 1; i < n - 1; i++)
      next[i] = 0.5 * (now[i - 1] + now[i + 1]);
    // expect: omp-shared-counter high "exchange the same 'now' and 'next'" "firstprivate(now, next)"
    std::swap(now, next);
  }
}
