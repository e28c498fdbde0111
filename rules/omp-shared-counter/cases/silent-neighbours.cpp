// Neighbours that no other iteration of the same loop sets.
// flags: -fopenmp
#include <cstddef>
#include <cstdlib>
#include <omp.h>

// Points of one colour read those of the other one.
void redBlack(double *u, const double *f, int n, int m, int colour) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1 + (i + colour) % 2; j < m - 1; j += 2)
      u[i * m + j] =
          0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1] - f[i * m + j]);
}

void masked(double *u, int n, int m, int colour) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      if ((i + j) % 2 == colour)
        u[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
}

// Every second row.
void zebra(double *u, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; i += 2)
    for (int j = 0; j < m; ++j)
      u[i * m + j] = 0.5 * (u[(i - 1) * m + j] + u[(i + 1) * m + j]);
}

// Along the rows, of which each is one thread's.
void alongRows(double *u, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    for (int j = 1; j < m; ++j)
      u[i * m + j] += u[i * m + j - 1];
}

void twoArrays(double *to, const double *u, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n - 1; ++i)
    for (int j = 1; j < m - 1; ++j)
      to[i * m + j] = 0.25 * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1]);
}

// Diagonals.
void fronts(double *u, int n) {
  for (int d = 2; d < n; ++d) {
    // expect: omp-region-in-loop medium
#pragma omp parallel for
    for (int i = 1; i < d; ++i)
      u[i * n + d - i] = 0.5 * (u[(i - 1) * n + d - i] + u[i * n + d - i - 1]);
  }
}

// The halves of an array.
void halves(double *u, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    u[i] += u[i + n];
}

// In order.
void inOrder(double *a, const double *b, int n) {
#pragma omp parallel for ordered
  for (int i = 1; i < n; ++i) {
#pragma omp ordered
    a[i] = a[i - 1] + b[i];
  }
}

// An array of each thread's.
void own(double *sum, const double *b, int n, int m) {
#pragma omp parallel
  {
    double *line = static_cast<double *>(std::calloc(m, sizeof(double)));
#pragma omp for
    for (int i = 0; i < n; ++i) {
      for (int j = 1; j < m; ++j)
        line[j] = line[j - 1] + b[i * m + j];
      sum[i] = line[m - 1];
    }
    std::free(line);
  }
}
void ownOfTable(double *const *lines, const double *b, int n) {
#pragma omp parallel
  {
    double *line = lines[omp_get_thread_num()];
#pragma omp for
    for (int j = 1; j < n; ++j)
      line[j] = line[j - 1] + b[j];
  }
}
