/* Counts of threads with known laws. In each of five steps a team opens, shares 4,096 iterations evenly and as threads
 * come for them, meets at a barrier, adds up by turns, and one thread goes over all parts. Once, the first thread alone
 * sets up. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4096, STEPS = 5 };
static double a[N], b[N];

static __attribute__((noinline)) void set_up(void) {
  for (int round = 0; round < 20; ++round)
    for (int i = 0; i < N; ++i)
      b[i] = b[i] * 0.5 + i;
}

static __attribute__((noinline)) double step(double *part) {
  double sum = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    double own = 0;
#pragma omp for
    for (int i = 0; i < N; ++i)
      for (int k = 0; k < 50; ++k)
        own += a[i] = a[i] * 0.9 + b[i];
    part[me] = own;
#pragma omp barrier
    if (me == 0)
      for (int t = 0; t < omp_get_num_threads(); ++t)
        sum += part[t]; /* parts */
#pragma omp critical
    a[0] += own;
#pragma omp single nowait
    b[0] = 0;
#pragma omp for schedule(dynamic, 64)
    for (int i = 0; i < N; ++i)
      a[i] += 1;
  }
  return sum;
}

int main(void) {
  double *part = calloc((size_t)omp_get_max_threads(), sizeof *part), sum = 0;
  set_up();
  for (int s = 0; s < STEPS; ++s)
    sum += step(part);
  printf("%g\n", sum);
  free(part);
  return 0;
}
