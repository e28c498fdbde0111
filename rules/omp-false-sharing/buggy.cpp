// flags: -fopenmp
// Partial results of the threads side by side: in a vector, in records, and behind a class.
#include <cstddef>
#include <cstdio>
#include <omp.h>
#include <vector>

class Statistics {
public:
  explicit Statistics(int threads) : Slots(threads) {}
  void add(double value) {
    Slot &mine = Slots[omp_get_thread_num()];
    // expect: omp-false-sharing high "neighbouring threads" "Slots"
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
  struct Slot {
    double sum = 0.0, squares = 0.0;
  };
  std::vector<Slot> Slots;
};

template <typename T> T dot(const std::vector<T> &a, const std::vector<T> &b) {
  std::vector<T> partial(omp_get_max_threads());
#pragma omp parallel for
  for (std::size_t i = 0; i < a.size(); ++i)
    // expect: omp-false-sharing high "neighbouring threads" "partial"
    partial[omp_get_thread_num()] += a[i] * b[i];
  T sum = 0;
  for (T p : partial)
    sum += p;
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
