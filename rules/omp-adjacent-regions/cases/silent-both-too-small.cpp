// flags: -fopenmp
// Not even one team pays for both loops.
void turn(double *a, double *b, int steps) {
  for (int s = 0; s < steps; ++s) {
    // expect: omp-small-loop high
#pragma omp parallel for
    for (int k = 0; k < 25; ++k)
      a[k] *= 0.5;
    // expect: omp-small-loop high
#pragma omp parallel for
    for (int k = 0; k < 25; ++k)
      b[k] += 0.5;
  }
}
