// flags: -fopenmp
// The rows lie behind pointers: an array of them, a vector of vectors, a member of a record.
#include <cstddef>
#include <vector>

void fill(float **a, int rows, int columns, float value) {
  for (int i = 0; i < rows; ++i) {
    // expect: omp-region-in-loop medium "one row of the data"
#pragma omp parallel for
    for (int j = 0; j < columns; ++j)
      a[i][j] = value;
  }
}

void add(std::vector<std::vector<double>> &sum, const std::vector<std::vector<double>> &part) {
  const std::size_t rows = sum.size(), columns = sum[0].size();
  for (std::size_t i = 0; i < rows; ++i) {
    // expect: omp-region-in-loop medium "one row of the data"
#pragma omp parallel for
    for (std::size_t j = 0; j < columns; ++j)
      sum[i][j] += part[i][j];
  }
}

// The same row in each step.
void decay(float **a, int row, int columns, int steps) {
  for (int s = 0; s < steps; ++s) {
#pragma omp parallel for
    for (int j = 0; j < columns; ++j)
      a[row][j] *= 0.5f;
  }
}

// One row after another, found through a list: in its order only.
void follow(float **a, const int *next, int columns, int steps) {
  int row = 0;
  for (int s = 0; s < steps; ++s) {
#pragma omp parallel for
    for (int j = 0; j < columns; ++j)
      a[row][j] *= 0.5f;
    row = next[row];
  }
}
