// flags: -fopenmp
// environment: OMP_PROC_BIND=close OMP_PLACES=cores
// A relaxation whose threads stay on their cores: the environment binds them.
#include <stdio.h>

#define CELLS 400000

static double now[CELLS], next[CELLS];

int main(void) {
#pragma omp parallel for
  for (int i = 0; i < CELLS; i++)
    now[i] = next[i] = i % 17;
  for (int step = 0; step < 30; step++) {
#pragma omp parallel for
    for (int i = 1; i < CELLS - 1; i++)
      next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
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
