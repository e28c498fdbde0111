// flags: -fopenmp
// Other bounds, other shares: the thread that reads an element may not be the one that wrote it.
void advance(double *restrict velocity, double *restrict position, const double *restrict force, int count, int steps) {
#pragma omp parallel
  for (int step = 0; step < steps; step++) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < count; i++)
      velocity[i] += 0.01 * force[i];
#pragma omp barrier
#pragma omp for schedule(static) nowait
    for (int i = 0; i < count / 2; i++)
      position[i] += 0.01 * velocity[i];
#pragma omp barrier
  }
}
