// Equal iterations of some nanoseconds are handed out one by one.
// rule: omp-costly-schedule @loop gain
// watch: omp
// flags: -fopenmp
// twin: they are divided once
#include "truth.h"
#include <stdlib.h>

#define N 1000000

static double field[N];

#ifdef TWIN
#define SHARED schedule(static)
#else
#define SHARED schedule(dynamic, 1)
#endif

int main(void) {
  double begin = used();
#pragma omp parallel for SHARED // @loop
  for (int i = 0; i < N; i++)
    field[i] = 2.0 * i + 1.0;
  double whole = used() - begin;
  /* All but a few milliseconds is fetching; its price on this machine is known within a factor of some. */
  say_between("loop", 0.1 * whole, 1.1 * whole);
  printf("%g\n", field[N - 1]);
  return 0;
}
