// flags: -fopenmp
// A register keeps the count within a row; a row may be empty, so that it is written once for each row. So it is beside
// the row of a sparse matrix.
#include <omp.h>

void count_rows(int *counts, const double *values, long rows, long columns) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for
    for (long r = 0; r < rows; r++)
      for (long c = 0; c < columns; c++)
        // expect: omp-false-sharing medium "loop at line 11" "4 bytes apart"
        counts[thread] += (int)values[r * columns + c];
  }
}

void norms(double *sums, const int *begin, const int *column, const double *x, double *y, int rows) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for
    for (int r = 0; r < rows; r++) {
      double sum = 0.0;
      for (int k = begin[r]; k < begin[r + 1]; k++)
        sum += x[column[k]];
      y[r] = sum;
      // expect: omp-false-sharing medium "loop at line 23"
      sums[thread] += sum * sum;
    }
  }
}

// No pointer from elsewhere leads to it, as compilers see.
double dot(const double *x, const double *y, int n) {
  static double part[64];
  double sum = 0.0;
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    part[thread] = 0.0;
#pragma omp for
    for (int i = 0; i < n; i++)
      // expect: omp-false-sharing medium "loop at line 43" fix
      part[thread] += x[i] * y[i];
  }
  for (int t = 0; t < 64; t++)
    sum += part[t];
  return sum;
}

// Here the loop itself looks at another slot.
int turns(const double *x, int n) {
  static int part[64];
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for
    for (int i = 0; i < n; i++)
      // expect: omp-false-sharing high "loop at line 59" fix
      part[thread] += x[i] > part[0];
  }
  return part[1];
}
