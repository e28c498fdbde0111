// flags: -fopenmp
// The branch of a team of several threads is not the one that does without them.
#include <omp.h>

static void add_up(const double *from, double *to) {
  for (int k = 0; k < 8; k++)
    to[k] = 2 * from[k];
}

void integrate(int n, const double *from, double *elements, double *sum) {
  int threads = omp_get_max_threads();
  double local[8];
#pragma omp parallel for
  for (int i = 0; i < n; i++) {
    if (threads < 2) {
      add_up(from + 8 * i, elements + 8 * i);
    } else {
      // expect: omp-shared-counter medium "set the same 'local'" no-fix
      add_up(from + 8 * i, local);
      for (int k = 0; k < 8; k++)
        elements[8 * i + k] = local[k];
    }
  }
  sum[0] += elements[0];
}
