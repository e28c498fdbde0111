// flags: -fopenmp
// A loop template whose calls do much, or that no loop calls.
#include <vector>

template <typename Body> void parallelFor(int n, Body body) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    body(i);
}

void steps(std::vector<double> &u, std::vector<double> &v, int count) {
  for (int step = 0; step < count; ++step) {
    parallelFor(static_cast<int>(u.size()), [&](int i) { v[i] = 0.5 * u[i]; });
    parallelFor(static_cast<int>(u.size()), [&](int i) { u[i] += v[i]; });
  }
}

void once(std::vector<double> &u) {
  parallelFor(static_cast<int>(u.size()), [&](int i) { u[i] = 1.0; });
}

// A loop of one thread within the body.
void rows(std::vector<std::vector<double>> &rows) {
  parallelFor(static_cast<int>(rows.size()), [&](int i) {
    for (double &x : rows[i])
      x *= 2.0;
  });
}
