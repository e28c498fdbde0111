// flags: -fopenmp
// Every round meets here, right behind the end of the shared loop of the round before.
void relax(double *heat, double *flux, int cells, int rounds, int *first) {
#pragma omp parallel
  for (int round = 0; round <= rounds; round++) {
    // expect: omp-barrier-in-loop high fix
#pragma omp barrier
#pragma omp master
    *first = round;
#pragma omp for
    for (int i = 1; i < cells; i++)
      flux[i] = heat[i] - heat[i - 1];
#pragma omp for
    for (int i = 1; i < cells - 1; i++)
      heat[i] += 0.1 * (flux[i + 1] - flux[i]);
  }
}
