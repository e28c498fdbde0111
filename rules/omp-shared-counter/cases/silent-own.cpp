// flags: -fopenmp
#include <atomic>
#include <mutex>

double own(const double *x, double *sums, std::size_t n, std::atomic<int> &seen, std::mutex &door) {
  double held = 0;
#pragma omp parallel for collapse(2)
  for (std::size_t i = 0; i < n; ++i)
    for (int k = 0; k < 4; ++k) {
      double sum = 0;
      for (int j = 0; j < 8; ++j)
        sum += x[i] * j;
      sums[i] = sum;
      // expect: omp-critical-section high "an atomic update" "'seen'"
      ++seen;
    }
#pragma omp parallel for
  for (std::size_t i = 0; i < n; ++i) {
    // expect: omp-critical-section medium "a lock" "'held'"
    std::lock_guard<std::mutex> inside(door);
    held += x[i];
  }
  return held + sums[0];
}
