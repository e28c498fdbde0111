// flags: -fopenmp
// The shared loop has ended with a barrier when the written one comes.
#include <cstddef>
#include <vector>

double relax(std::vector<double> &now, std::vector<double> &next, int steps) {
  double change = 0.0;
  const std::size_t last = now.size() - 1;
#pragma omp parallel
  for (int step = 0; step < steps; ++step) {
#pragma omp for schedule(static)
    for (std::size_t i = 1; i < last; ++i)
      next[i] = 0.5 * (now[i - 1] + now[i + 1]);
    // expect: omp-barrier-in-loop high fix
#pragma omp barrier
#pragma omp single
    {
      change = next[1] - now[1];
      now.swap(next);
    }
  }
  return change;
}
