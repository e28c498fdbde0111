// flags: -fopenmp
// A step of three short updates opens three teams.
#include <stdio.h>

#define N 5000

static double position[N], velocity[N], force[N], energy[N];

static void step(double dt) {
  // expect: omp-adjacent-regions high "lines 15 and 20", omp-region-in-loop high "about 8 us of work"
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    velocity[i] += dt * force[i];
  // expect: omp-region-in-loop high "about 8 us of work"
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    position[i] += dt * velocity[i];
  double half = 0.5;
  // expect: omp-region-in-loop high "about 7 us of work"
#pragma omp parallel for
  for (int i = 0; i < N; i++)
    energy[i] = half * velocity[i] * velocity[i];
}

int main(void) {
  for (int i = 0; i < N; i++)
    force[i] = i % 3 - 1;
  for (int s = 0; s < 100; s++)
    step(0.125);
  double sum = 0.0;
  for (int i = 0; i < N; i++)
    sum += energy[i] + position[i];
  printf("%.6f\n", sum);
  return 0;
}
