// flags: -fopenmp
// Blocks of iterations share lines at their ends only; the chunks of the last loop are whole lines.
#include <omp.h>

void relax(int rows, int columns, const double *restrict from, double *restrict to) {
#pragma omp parallel for
  for (int i = 1; i < rows - 1; i++)
    for (int j = 1; j < columns - 1; j++)
      to[i * columns + j] = 0.25 * (from[(i - 1) * columns + j] + from[(i + 1) * columns + j] +
                                    from[i * columns + j - 1] + from[i * columns + j + 1]);
}

void product(int rows, const int *begin, const int *column, const double *value, const double *x, double *y) {
#pragma omp parallel for
  for (int row = 0; row < rows; row++) {
    y[row] = 0.0;
    for (int k = begin[row]; k < begin[row + 1]; k++)
      y[row] += value[k] * x[column[k]];
  }
}

void chunks(int count, float *values) {
#pragma omp parallel for schedule(static, 64)
  for (int i = 0; i < count; i++)
    values[i] *= 2.0f;
}

void by_hand(int count, double *values) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num(), threads = omp_get_num_threads();
    const int first = (int)((long)count * thread / threads), last = (int)((long)count * (thread + 1) / threads);
    for (int i = first; i < last; i++)
      values[i] += 1.0;
  }
}
