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

void sums(double *sum, const double *field, const int *place, long planes, long n) {
#pragma omp parallel
  for (long p = 0; p < planes; p++) {
#pragma omp for schedule(guided)
    for (long k = 0; k < n; k++)
      sum[place[k]] += field[p * n + k];
  }
}

void marked(double *field, double *edges, long planes, long n) {
#pragma omp parallel
  for (long p = 0; p < planes; p++) {
#pragma omp for schedule(guided)
    for (long k = 0; k < n; k++)
      field[p * n + k] = 0.5 * k;
#pragma omp single
    edges[p] = 0.5 * field[p * n];
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

double total(const double *field, long planes, long n) {
  double all = 0.0;
#pragma omp parallel
  for (long p = 0; p < planes; p++) {
#pragma omp for schedule(guided) reduction(+ : all)
    for (long k = 0; k < n; k++)
      all += field[p * n + k];
  }
  return all;
}
