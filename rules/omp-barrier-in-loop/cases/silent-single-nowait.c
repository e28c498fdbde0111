// flags: -fopenmp
// With nowait the construct ends without a barrier, and the team reads what it wrote.
void iterate(double *values, int count, int steps, double *scale) {
#pragma omp parallel
  for (int step = 0; step < steps; step++) {
#pragma omp single nowait
    *scale *= 0.5;
#pragma omp barrier
#pragma omp for schedule(static)
    for (int i = 0; i < count; i++)
      values[i] += *scale;
  }
}
