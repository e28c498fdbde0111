// flags: -fopenmp
// Each thread allocates, fills and uses its own array.
#include <cstddef>
#include <memory>

double spread(std::size_t count) {
  double total = 0.0;
#pragma omp parallel reduction(+ : total)
  {
    std::unique_ptr<double[]> own(new double[count]);
    for (std::size_t i = 0; i < count; ++i)
      own[i] = static_cast<double>(i);
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < count; ++i)
      total += own[i] * own[count - 1 - i];
  }
  return total;
}
