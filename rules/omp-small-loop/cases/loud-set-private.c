// flags: -fopenmp -Ofast
// Private variables that each iteration sets, or gets a copy of: the loops are as small as they look.
void shift(double *values, double by) {
  for (int step = 0; step < 1000; step++) {
    double first = by;
    // expect: omp-small-loop high
#pragma omp parallel for firstprivate(first)
    for (int i = 0; i < 64; i++)
      values[i] += first;
  }
}

void count(long *sums, int steps) {
  for (int s = 0; s < steps; s++) {
    int from;
    // expect: omp-small-loop high
#pragma omp parallel for private(from)
    for (int i = 0; i < 16; i++) {
      from = i;
      sums[i] += from++;
    }
  }
}

void rows(double (*m)[8], int steps) {
  int j;
  for (int s = 0; s < steps; s++)
    // expect: omp-small-loop high "181"
#pragma omp parallel for private(j)
    for (int i = 0; i < 16; i++)
      for (j = 0; j < 8; j++)
        m[i][j] *= 0.5;
}
