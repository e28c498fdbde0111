// flags: -fopenmp
// A cache line for each thread's record; sums in variables of the threads' own.
#include <cstddef>
#include <cstdio>
#include <omp.h>
#include <vector>

class Statistics {
public:
  explicit Statistics(int threads) : Slots(threads) {}
  void add(double value) {
    Slot &mine = Slots[omp_get_thread_num()];
    mine.sum += value;
    mine.squares += value * value;
  }
  double mean_square() const {
    double squares = 0.0;
    for (const Slot &slot : Slots)
      squares += slot.squares;
    return squares;
  }

private:
  struct alignas(64) Slot {
    double sum = 0.0, squares = 0.0;
  };
  std::vector<Slot> Slots;
};

template <typename T> T dot(const std::vector<T> &a, const std::vector<T> &b) {
  T sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}

int main() {
  std::vector<double> a(100000), b(100000);
#pragma omp parallel for
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<double>(i % 4);
    b[i] = 2.0;
  }
  Statistics statistics(omp_get_max_threads());
  // A number that each thread writes once.
  std::vector<int> present(omp_get_max_threads());
#pragma omp parallel
  {
    present[omp_get_thread_num()] = 1;
#pragma omp for
    for (std::size_t i = 0; i < a.size(); ++i)
      statistics.add(a[i]);
  }
  std::printf("%.1f %.1f %d\n", statistics.mean_square(), dot(a, b), present[0]);
}
