// Three regions follow one another at once.
// rule: omp-adjacent-regions @first -
// watch: omp
// flags: -fopenmp
// also: omp-region-in-loop, omp-small-loop, omp-load-imbalance (short regions on a loaded machine)
// twin: one region
#include "truth.h"

#define N 3000

static double a[N], b[N], c[N];

int main(void) {
  for (int step = 0; step < 8000; step++) {
#ifdef TWIN
    if (step % 2000 == 0)
#pragma omp parallel
      work(0.02);
#else
#pragma omp parallel for schedule(static) // @first
    for (int i = 0; i < N; i++)
      a[i] = 0.5 * a[i] + i;
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++)
      b[i] = 0.5 * b[i] + a[N - 1 - i];
#pragma omp parallel for schedule(static)
    for (int i = 0; i < N; i++)
      c[i] = 0.5 * c[i] + b[N - 1 - i];
#endif
  }
  printf("%g\n", c[N - 1]);
  return 0;
}
