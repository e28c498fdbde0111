// flags: -fopenmp
// 64 KiB; and a vector that only one thread works on.
#include <cstddef>
#include <vector>

double profile(double scale) {
  std::vector<double> values(8192);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < 8192; ++i)
    values[i] = scale * static_cast<double>(i);
  return values[100];
}

double prefix(std::size_t count) {
  std::vector<double> sums(count, 1.0);
#pragma omp parallel
#pragma omp single
  for (std::size_t i = 1; i < count; ++i)
    sums[i] += sums[i - 1];
  return sums[count - 1];
}
