// flags: -fopenmp
// fixes: omp-barrier-in-loop
// Two species that diffuse apart from each other: the team waits after each, though neither looks at the other.
#include <cstdio>
#include <vector>

static void diffuse(const std::vector<double> &from, std::vector<double> &to) {
  const int n = static_cast<int>(from.size());
#pragma omp for schedule(static) nowait
  for (int i = 1; i < n - 1; ++i)
    to[i] = 0.25 * from[i - 1] + 0.5 * from[i] + 0.25 * from[i + 1];
}

int main() {
  const int n = 20000;
  std::vector<double> a(n), b(n), half(n), other(n);
  for (int i = 0; i < n; ++i) {
    a[i] = half[i] = i % 17;
    b[i] = other[i] = i % 5;
  }
#pragma omp parallel
  for (int step = 0; step < 40; ++step) {
    // Each thread waits once, before the neighbours' cells are read again.
    diffuse(a, half);
    // expect: omp-barrier-in-loop high unsafe-fix
#pragma omp barrier
    diffuse(b, other);
#pragma omp barrier
    // expect: omp-barrier-in-loop high unsafe-fix
#pragma omp for schedule(static)
    for (int i = 1; i < n - 1; ++i)
      a[i] = half[i];
#pragma omp for schedule(static)
    for (int i = 1; i < n - 1; ++i)
      b[i] = other[i];
  }
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i] * b[i];
  std::printf("%.6f\n", sum);
}
