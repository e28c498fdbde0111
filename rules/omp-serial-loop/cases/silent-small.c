// flags: -fopenmp
// A loop over a thousand numbers is done before a team has opened.
#include <stdio.h>

#define LEVELS 1000

static double level[LEVELS], flux[LEVELS];

int main(void) {
  for (int step = 0; step < 50; step++) {
    // expect: omp-region-in-loop
#pragma omp parallel for
    for (int k = 0; k < LEVELS; k++)
      flux[k] = 0.5 * level[k] + 1e-3;
    for (int k = 0; k < LEVELS; k++)
      level[k] += flux[k];
  }
  printf("%.6f\n", level[LEVELS / 2]);
  return 0;
}
