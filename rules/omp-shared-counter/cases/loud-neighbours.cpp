// Updates in place that read what the iterations of other threads set.
// flags: -fopenmp
#include <cstddef>
#include <vector>

class Grid {
public:
  Grid(int ni, int nj) : row(nj + 2), values(std::size_t(ni + 2) * (nj + 2)) {}
  double &operator()(int i, int j) { return values[i * row + j]; }
  const double &operator()(int i, int j) const { return values[i * row + j]; }

private:
  std::size_t row;
  std::vector<double> values;
};

struct Level {
  Grid u, f;
  int ni, nj;
  double h;
};

void relax(Level &l) {
  const int ni = l.ni, nj = l.nj;
  Grid &u = l.u;
  const double h2 = l.h * l.h;
#pragma omp parallel for
  for (int i = 1; i <= ni; ++i)
    for (int j = 1; j <= nj; ++j)
      // expect: omp-shared-counter medium "read elements that the iteration beside theirs sets of 'u'" "second array"
      u(i, j) = 0.25 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - h2 * l.f(i, j));
}

// A recurrence.
void prefix(double *a, const double *b, int n) {
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 1; i < n; ++i)
      // expect: omp-shared-counter medium "of 'a'" "iterations of 'i' find the old value or the new one"
      a[i] = a[i - 1] + b[i];
  }
}

// The loop that the team shares is the one of which the columns depend on each other.
void smooth(double *u, int n, int m) {
  for (int i = 0; i < n; ++i) {
    // expect: omp-region-in-loop medium
#pragma omp parallel for
    for (int j = 1; j < m - 1; ++j)
      // expect: omp-shared-counter medium "of 'u'"
      u[i * m + j] = 0.5 * u[i * m + j] + 0.25 * (u[i * m + j - 1] + u[i * m + j + 1]);
  }
}
