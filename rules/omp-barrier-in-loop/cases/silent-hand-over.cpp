// flags: -fopenmp
// The pointer that one thread swaps is read by all of them.
#include <utility>

void iterate(double *now, double *next, int count, int steps) {
#pragma omp parallel
  for (int step = 0; step < steps; ++step) {
#pragma omp for schedule(static)
    for (int i = 1; i < count - 1; ++i)
      next[i] = 0.5 * (now[i - 1] + now[i + 1]);
#pragma omp master
    std::swap(now, next);
#pragma omp barrier
  }
}
