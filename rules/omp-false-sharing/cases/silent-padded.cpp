// flags: -fopenmp
// A cache line or more between the threads' elements.
#include <cstddef>
#include <omp.h>
#include <vector>

struct alignas(64) Slot {
  double sum = 0.0;
};

double aligned(const std::vector<double> &values) {
  std::vector<Slot> slots(omp_get_max_threads());
#pragma omp parallel
  {
    Slot &mine = slots[omp_get_thread_num()];
#pragma omp for
    for (std::size_t i = 0; i < values.size(); ++i)
      mine.sum += values[i];
  }
  double sum = 0.0;
  for (const Slot &s : slots)
    sum += s.sum;
  return sum;
}

double spread(const std::vector<double> &values) {
  constexpr int Pad = 8;
  std::vector<double> sums(static_cast<std::size_t>(omp_get_max_threads()) * Pad);
#pragma omp parallel
  {
    const int slot = omp_get_thread_num() * Pad;
#pragma omp for
    for (std::size_t i = 0; i < values.size(); ++i)
      sums[slot] += values[i];
  }
  double sum = 0.0;
  for (std::size_t t = 0; t < sums.size(); t += Pad)
    sum += sums[t];
  return sum;
}
