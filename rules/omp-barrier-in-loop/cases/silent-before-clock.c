// flags: -fopenmp
// The team starts each measured round together. What reads the time is another unit's.
double ticks(void);

void relax(double *heat, double *flux, int cells, int rounds, double *began) {
#pragma omp parallel
  for (int round = 0; round <= rounds; round++) {
#pragma omp barrier
#pragma omp master
    *began = ticks();
#pragma omp for
    for (int i = 1; i < cells; i++)
      flux[i] = heat[i] - heat[i - 1];
#pragma omp for nowait
    for (int i = 1; i < cells - 1; i++)
      heat[i] += 0.1 * (flux[i + 1] - flux[i]);
  }
}
