// Two critical sections of one loop; the team queues for the first, and hardly ever comes to the second.
// rule: omp-critical-section @often -
// watch: omp
// flags: -fopenmp
// twin: a reduction
#include "truth.h"
#include <math.h>

int main(void) {
  double sum = 0, most = 0;
#ifdef TWIN
#pragma omp parallel for reduction(+ : sum) reduction(max : most)
  for (int i = 0; i < 40000000; i++) {
    sum += sqrt(i);
    most = most > i ? most : i;
  }
#else
#pragma omp parallel for
  for (int i = 0; i < 400000; i++) {
    double x = sqrt(i);
#pragma omp critical(first) // @often
    sum += x;
    if (i % 4000 == 0) {
#pragma omp critical(second)
      most = most > x ? most : x;
    }
  }
#endif
  printf("%g %g\n", sum, most);
  return 0;
}
