// flags: -fopenmp
// Scratch variables of the code around a region, which each iteration sets and reads.
void normalise(int count, const double *values, const double *weights, double *out) {
  double scaled;
#pragma omp parallel for
  for (int i = 0; i < count; i++) {
    // expect: omp-shared-counter high "set the same" "private(scaled)"
    scaled = values[i] * weights[i];
    out[i] = scaled / (1.0 + scaled);
  }
}

void sums(int rows, int columns, const double *values, double *out) {
  double sum;
  int row;
#pragma omp parallel
  {
#pragma omp for
    for (row = 0; row < rows; row++) {
      // expect: omp-shared-counter high "set the same" "private(sum)"
      sum = values[row * columns];
      for (int column = 1; column < columns; column++)
        sum += values[row * columns + column];
      out[row] = sum;
    }
  }
}

// The region within has a team only where the program asks for one.
void rows_in_team(int rows, int columns, const double *values, double *out) {
#pragma omp parallel for
  for (int row = 0; row < rows; row++) {
    double value, largest = 0;
    // expect: omp-region-in-loop medium "the loop at line 32"
#pragma omp parallel for reduction(max : largest)
    for (int column = 0; column < columns; column++) {
      // expect: omp-shared-counter medium "set the same" "private(value)"
      value = values[row * columns + column];
      if (value > largest)
        largest = value;
    }
    out[row] = largest;
  }
}
