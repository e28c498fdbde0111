// flags: -fopenmp
// Both loops share the same iterations in the same static way: each thread meets only what it wrote itself.
void advance(double *restrict velocity, double *restrict position, const double *restrict force, int count, int steps) {
#pragma omp parallel
  for (int step = 0; step < steps; step++) {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < count; i++)
      velocity[i] += 0.01 * force[i];
    // expect: omp-barrier-in-loop high unsafe-fix
#pragma omp barrier
#pragma omp for schedule(static) nowait
    for (int i = 0; i < count; i++)
      position[i] += 0.01 * velocity[i];
  }
}
