// flags: -fopenmp
// Rows that have elements leave nothing to be written in the loop around; planes and dense rows are work beside which
// one write does not show.
#include <omp.h>

void count_points(int *counts, const double *values, long rows) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for
    for (long r = 0; r < rows; r++)
      for (long c = 0; c < 8; c++)
        counts[thread] += (int)values[r * 8 + c];
  }
}

void count_costly(int *counts, const double *u, const double *v, const double *w, double *s, long rows, long columns) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for
    for (long r = 0; r < rows; r++)
      for (long c = 0; c < columns; c++) {
        const long k = r * columns + c;
        s[k] = u[k] * v[k] + w[k] + u[k + 1] * v[k + 1] + w[k + 1] + u[k + 2] * v[k + 2] + w[k + 2];
        counts[thread] += (int)u[k];
      }
  }
}

void count_planes(int *counts, const double *values, long planes, long rows, long columns) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for
    for (long p = 0; p < planes; p++) {
      int found = 0;
      for (long r = 0; r < rows; r++)
        for (long c = 0; c < columns; c++)
          found += (int)values[(p * rows + r) * columns + c];
      counts[thread] += found;
    }
  }
}

void dense(double *sums, const double *matrix, int rows, int columns) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for
    for (int r = 0; r < rows; r++) {
      double sum = 0.0;
      for (int c = 0; c < columns; c++)
        sum += matrix[(long)r * columns + c];
      sums[thread] += sum * sum;
    }
  }
}

struct range {
  int first, last;
};

// As long as a record says, which may be any length.
void ranges(double *sums, const struct range *of, const double *x, int n) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for
    for (int r = 0; r < n; r++) {
      double sum = 0.0;
      for (int k = of->first; k < of->last; k++)
        sum += x[k] * r;
      sums[thread] += sum * sum;
    }
  }
}

// Several values for each element of a row.
void count_components(int *counts, const double *values, long rows, long columns) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for
    for (long r = 0; r < rows; r++)
      for (long c = 0; c < columns; c++)
        for (int k = 0; k < 4; k++)
          counts[thread] += (int)values[(r * columns + c) * 4 + k];
  }
}

// Not of threads, but of iterations.
void count_in_blocks(int *counts, const double *values, long blocks, long rows, long columns) {
#pragma omp parallel for schedule(static, 1)
  for (long b = 0; b < blocks; b++)
    for (long r = 0; r < rows; r++)
      for (long c = 0; c < columns; c++)
        counts[b] += (int)values[(b * rows + r) * columns + c];
}
