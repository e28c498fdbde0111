// flags: -fopenmp
// The same elements, but a dynamic schedule gives them to other threads in the second loop.
void advance(double *restrict velocity, double *restrict position, const double *restrict force, int count, int steps) {
#pragma omp parallel
  for (int step = 0; step < steps; step++) {
#pragma omp for schedule(dynamic, 65536) nowait
    for (int i = 0; i < count; i++)
      velocity[i] += 0.01 * force[i];
#pragma omp barrier
#pragma omp for schedule(dynamic, 65536) nowait
    for (int i = 0; i < count; i++)
      position[i] += 0.01 * velocity[i];
#pragma omp barrier
  }
}
