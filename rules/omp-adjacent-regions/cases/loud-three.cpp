// flags: -fopenmp
// Lengths that the run decides: several cheap loops in a row, in a function that a solver calls in each iteration.
#include <cstddef>
#include <vector>

using Vector = std::vector<double>;

static void update(Vector &x, Vector &r, Vector &p, const Vector &q, double alpha, double beta) {
  const std::size_t n = x.size();
  // expect: omp-adjacent-regions medium "lines 14 and 17"
#pragma omp parallel for
  for (std::size_t i = 0; i < n; ++i)
    x[i] += alpha * p[i];
#pragma omp parallel for
  for (std::size_t i = 0; i < n; ++i)
    r[i] -= alpha * q[i];
#pragma omp parallel for
  for (std::size_t i = 0; i < n; ++i)
    p[i] = r[i] + beta * p[i];
}

void solve(Vector &x, Vector &r, Vector &p, const Vector &q, int iterations) {
  for (int k = 0; k < iterations; ++k)
    update(x, r, p, q, 0.5, 0.25);
}
