// flags: -fopenmp
// What an iteration does stands in another unit; the region holds the loop; rows of work that differs.
#include <vector>

double column_physics(double *column, int levels);

void physics(std::vector<double> &state, int blocks, int columns, int levels) {
  for (int b = 0; b < blocks; ++b) {
#pragma omp parallel for
    for (int c = 0; c < columns; ++c)
      state[b * columns + c] = column_physics(&state[b * columns + c], levels);
  }
}

void open_once(double *a, int rows, int columns) {
#pragma omp parallel
  for (int y = 0; y < rows; ++y) {
#pragma omp for nowait
    for (int x = 0; x < columns; ++x)
      a[y * columns + x] *= 0.5;
  }
}

void products(double *c, const double *a, const double *b, int batch, int n) {
  for (int m = 0; m < batch; ++m) {
#pragma omp parallel for
    // expect: mem-handwritten-matmul low "every iteration over 'i' fetches a whole factor again" " of 'a' and 'b'"
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
          c[(m * n + i) * n + j] += a[(m * n + i) * n + k] * b[(m * n + k) * n + j];
  }
}
