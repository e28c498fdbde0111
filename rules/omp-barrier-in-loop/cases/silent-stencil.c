// flags: -fopenmp
// Each loop reads elements that neighbouring threads wrote in the loop before.
void diffuse(double *restrict now, double *restrict next, int count, int steps) {
#pragma omp parallel
  for (int step = 0; step < steps; step++) {
#pragma omp for schedule(static) nowait
    for (int i = 1; i < count - 1; i++)
      next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
#pragma omp barrier
#pragma omp for schedule(static) nowait
    for (int i = 1; i < count - 1; i++)
      now[i] = 0.25 * next[i - 1] + 0.5 * next[i] + 0.25 * next[i + 1];
#pragma omp barrier
  }
}
