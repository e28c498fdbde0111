// flags: -fopenmp
// The vector's constructor writes all elements, on one thread.
#include <vector>

double smooth(int count, int steps) {
  // expect: omp-calloc-first-touch medium "the constructor of std::vector" "line 10"
  std::vector<double> heat(count, 1.0);
  for (int step = 0; step < steps; ++step) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i)
      heat[i] = 0.5 * heat[i] + 0.1 * i;
  }
  return heat[count / 2];
}
