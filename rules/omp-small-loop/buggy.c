// flags: -fopenmp
// A team is opened for the nine weights of a lattice, in every step.
#include <stdio.h>

#define WEIGHTS 9
#define CELLS 40000

static double weight[WEIGHTS];
static double cell[CELLS];

static void renew(double by) {
  // expect: omp-small-loop high
#pragma omp parallel for
  for (int k = 0; k < WEIGHTS; k++)
    weight[k] = (k + 1) * by;
}

int main(void) {
  double moment[3] = {0.0, 0.0, 0.0};
  for (int step = 0; step < 200; step++) {
    renew(1.0 + step % 7);
    // expect: omp-small-loop high
#pragma omp parallel for
    for (int d = 0; d < 3; d++)
      moment[d] = 0.5 * moment[d] + weight[d];
#pragma omp parallel for
    for (int c = 0; c < CELLS; c++)
      for (int k = 0; k < WEIGHTS; k++)
        cell[c] += weight[k] * moment[k % 3];
  }
  double sum = 0.0;
  for (int c = 0; c < CELLS; c++)
    sum += cell[c];
  printf("%.3f\n", sum);
  return 0;
}
