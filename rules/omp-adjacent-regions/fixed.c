// flags: -fopenmp
// One team runs all steps; each thread keeps its particles, so that no barrier stands between the loops.
#include <stdio.h>

#define N 5000

static double position[N], velocity[N], force[N], energy[N];

static void step(double dt) {
#pragma omp for schedule(static) nowait
  for (int i = 0; i < N; i++)
    velocity[i] += dt * force[i];
#pragma omp for schedule(static) nowait
  for (int i = 0; i < N; i++)
    position[i] += dt * velocity[i];
#pragma omp for schedule(static) nowait
  for (int i = 0; i < N; i++)
    energy[i] = 0.5 * velocity[i] * velocity[i];
}

int main(void) {
  for (int i = 0; i < N; i++)
    force[i] = i % 3 - 1;
#pragma omp parallel
  for (int s = 0; s < 100; s++)
    step(0.125);
  double sum = 0.0;
  for (int i = 0; i < N; i++)
    sum += energy[i] + position[i];
  printf("%.6f\n", sum);
  return 0;
}
