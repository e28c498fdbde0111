// flags: -fopenmp
// A class that keeps one record per thread; the team calls its inline member.
#include <cstddef>
#include <memory>
#include <omp.h>

class Statistics {
public:
  explicit Statistics(int threads) : Slots(new Slot[threads]()), Threads(threads) {}
  void add(int thread, double value) {
    Slot &slot = Slots[thread];
    // expect: omp-false-sharing high "neighbouring threads" "Slots"
    slot.sum += value;
    slot.squares += value * value;
    ++slot.count;
  }
  double mean() const {
    double sum = 0.0;
    long count = 0;
    for (int t = 0; t < Threads; ++t) {
      sum += Slots[t].sum;
      count += Slots[t].count;
    }
    return sum / static_cast<double>(count);
  }

private:
  struct Slot {
    double sum, squares;
    long count;
  };
  std::unique_ptr<Slot[]> Slots;
  int Threads;
};

double average(const double *values, std::size_t size) {
  Statistics all(omp_get_max_threads());
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
#pragma omp for
    for (std::size_t i = 0; i < size; ++i)
      all.add(thread, values[i]);
  }
  return all.mean();
}
