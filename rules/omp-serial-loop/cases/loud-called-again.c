// flags: -fopenmp
// One function relaxes a row and adds it up; the steps are those of its caller.
#include <stdio.h>

#define CELLS 200000

static double heat[CELLS], flow[CELLS];

__attribute__((noinline)) void advance(double by) {
#pragma omp parallel for
  for (int i = 1; i < CELLS - 1; i++)
    flow[i] = by * (heat[i + 1] - heat[i - 1]);
  // expect: omp-serial-loop medium "'#pragma omp parallel for'" unsafe-fix
  for (int i = 0; i < CELLS; i++)
    heat[i] += flow[i];
}

int main(void) {
  heat[CELLS / 2] = 1.0;
  for (int step = 0; step < 100; step++)
    advance(0.25);
  printf("%.6f\n", heat[CELLS / 2]);
  return 0;
}
