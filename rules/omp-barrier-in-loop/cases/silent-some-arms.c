// flags: -fopenmp
// Some rounds meet here and some do not: the arms of a branch, and a round that is cut short.
void relax(double *heat, double *flux, int cells, int rounds, const int *kind, int *last) {
#pragma omp parallel
  for (int round = 0; round <= rounds; round++) {
    if (kind[round] == 0)
      continue;
    switch (kind[round]) {
    case 1: {
#pragma omp barrier
#pragma omp master
      *last = round;
      break;
    }
    default:
      break;
    }
#pragma omp for
    for (int i = 1; i < cells; i++)
      flux[i] = heat[i] - heat[i - 1];
#pragma omp for
    for (int i = 1; i < cells - 1; i++)
      heat[i] += 0.1 * (flux[i + 1] - flux[i]);
  }
}
