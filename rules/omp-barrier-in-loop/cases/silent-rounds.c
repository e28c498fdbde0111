// flags: -fopenmp
// Rounds that read what the round before has written, that add to the same elements, that do something else as well,
// and few rounds.
void steps(double *field, long planes, long n) {
#pragma omp parallel
  for (long p = 1; p < planes; p++) {
#pragma omp for schedule(guided)
    for (long k = 0; k < n; k++)
      field[p * n + k] = 0.5 * field[(p - 1) * n + n - 1 - k];
  }
}

void sums(double *sum, const double *field, long planes, long n) {
#pragma omp parallel
  for (long p = 0; p < planes; p++) {
#pragma omp for schedule(guided)
    for (long k = 0; k < n; k++)
      sum[k] += field[p * n + k];
  }
}

void marked(double *field, long *last, long planes, long n) {
#pragma omp parallel
  for (long p = 0; p < planes; p++) {
#pragma omp for schedule(guided)
    for (long k = 0; k < n; k++)
      field[p * n + k] = 0.5 * k;
#pragma omp single
    *last = p;
  }
}

void few(double *field, long n) {
#pragma omp parallel
  for (long p = 0; p < 3; p++) {
#pragma omp for schedule(guided)
    for (long k = 0; k < n; k++)
      field[p * n + k] = 0.5 * k;
  }
}
