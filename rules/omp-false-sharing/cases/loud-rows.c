// flags: -fopenmp
// Rows are handed out one by one, and each thread adds up its rows' sums in memory.
void product(int rows, int columns, const double *matrix, const double *x, double *y) {
  // expect: omp-costly-schedule medium "one inner loop's work of the same length each" "dynamic,1" fix
#pragma omp parallel for schedule(dynamic)
  for (int row = 0; row < rows; row++) {
    y[row] = 0.0;
    for (int column = 0; column < columns; column++)
      // expect: omp-false-sharing high "threads with neighbouring iterations"
      y[row] += matrix[(long)row * columns + column] * x[column];
  }
}

// Four totals, one for each of four threads.
void totals(const float *const *series, int length, float *total) {
#pragma omp parallel for num_threads(4)
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < length; i++)
      // expect: omp-false-sharing high "threads with neighbouring iterations" "total"
      total[s] += series[s][i];
}
