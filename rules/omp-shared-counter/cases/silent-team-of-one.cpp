// flags: -fopenmp
// What a team of one thread alone comes by.
#include <omp.h>

static void add_up(const double *from, double *to) {
  for (int k = 0; k < 8; k++)
    to[k] = 2 * from[k];
}

void integrate(int n, const double *from, double *elements, double *sum) {
  int threads = omp_get_max_threads();
  double local[8];
  int done = 0;
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (threads > 1) {
      add_up(from + 8 * i, elements + 8 * i);
    } else {
      add_up(from + 8 * i, local);
      for (int k = 0; k < 8; k++)
        sum[k] += local[k];
      done++;
    }
  }
  sum[0] += done;
}
