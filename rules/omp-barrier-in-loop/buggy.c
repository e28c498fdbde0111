// flags: -fopenmp
// fixes: omp-barrier-in-loop
// Heat spreads along a rod. The team already meets at the end of each shared loop, and then meets again.
#include <stdio.h>

#define CELLS 4096

static double now[CELLS];
static double next[CELLS];

int main(void) {
  for (int i = 0; i < CELLS; i++)
    now[i] = next[i] = i % 32;
#pragma omp parallel
  for (int step = 0; step < 50; step++) {
#pragma omp for schedule(static)
    for (int i = 1; i < CELLS - 1; i++)
      next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
    // expect: omp-barrier-in-loop high fix
#pragma omp barrier
#pragma omp for schedule(static)
    for (int i = 1; i < CELLS - 1; i++)
      now[i] = next[i];
  }
  double sum = 0.0;
  for (int i = 0; i < CELLS; i++)
    sum += i * now[i];
  printf("%.6f\n", sum);
  return 0;
}
