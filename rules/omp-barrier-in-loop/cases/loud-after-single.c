// flags: -fopenmp
// The end of `single` is a barrier already.
void iterate(double *values, int count, int steps, double *scale) {
#pragma omp parallel
  for (int step = 0; step < steps; step++) {
#pragma omp single
    *scale *= 0.5;
    // expect: omp-barrier-in-loop high fix
#pragma omp barrier
#pragma omp for schedule(static)
    for (int i = 0; i < count; i++)
      values[i] += *scale;
  }
}
