// flags: -fopenmp
// A relaxation whose threads the system may move at will: nothing binds them to cores.
#include <stdio.h>

#define CELLS 400000

static double now[CELLS], next[CELLS];

int main(void) {
  // may-run: omp-unbound-threads
#pragma omp parallel for
  for (int i = 0; i < CELLS; i++)
    now[i] = next[i] = i % 17;
  for (int step = 0; step < 30; step++) {
    // may-run: omp-unbound-threads
#pragma omp parallel for
    for (int i = 1; i < CELLS - 1; i++)
      next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
    // may-run: omp-unbound-threads
#pragma omp parallel for
    for (int i = 1; i < CELLS - 1; i++)
      now[i] = next[i];
  }
  double sum = 0.0;
  for (int i = 0; i < CELLS; i++)
    sum += now[i];
  printf("%.6f\n", sum);
  return 0;
}
