// flags: -fopenmp
// The forces are cleared by one thread before the team computes them.
#include <cmath>
#include <cstdio>
#include <vector>

int main(int argc, char **) {
  const int n = 300000 * argc;
  // expect: omp-calloc-first-touch
  std::vector<double> place(n, 0.5);
  // expect: omp-calloc-first-touch
  std::vector<double> force(n, 0.0);
  // expect: omp-calloc-first-touch
  std::vector<double> speed(n, 0.0);
  for (int step = 0; step < 20; ++step) {
    // expect: omp-serial-loop high "'force'" unsafe-fix
    for (int i = 0; i < n; ++i)
      force[i] = 0.0;
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      force[i] -= place[i];
#pragma omp parallel for
    for (int i = 0; i < n; ++i) {
      speed[i] += 0.01 * force[i];
      place[i] += 0.01 * speed[i];
    }
  }
  std::printf("%.6f\n", place[n / 2]);
}
