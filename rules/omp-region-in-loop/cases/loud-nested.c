// flags: -fopenmp
// A team within each iteration of a loop that a team shares: of one thread, unless somebody asks for more.
void sums(double *result, const double *values, int rows, int length) {
#pragma omp parallel for
  for (int i = 0; i < rows; i++) {
    double sum = 0;
    // expect: omp-region-in-loop medium "a part of a us each time"
#pragma omp parallel for reduction(+ : sum)
    for (int j = 0; j < length; j++)
      sum += values[i * length + j];
    result[i] = sum;
  }
}

// Two teams of four: that was meant.
void halves(double *result, const double *values, int length) {
#pragma omp parallel for num_threads(2)
  for (int half = 0; half < 2; half++) {
#pragma omp parallel for num_threads(4)
    for (int j = 0; j < length; j++)
      result[half * length + j] = 2 * values[half * length + j];
  }
}
