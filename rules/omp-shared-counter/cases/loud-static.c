// flags: -fopenmp
// One 'calls' for the whole program, though it stands in the region.
#include <stdio.h>
void report(const double *x, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    static int calls = 0;
    // expect: omp-shared-counter high "'calls'" no-fix
    calls++;
    printf("%d: %g\n", calls, x[i]);
  }
}
