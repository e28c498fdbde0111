// flags: -fopenmp
// The C++ library's locks and atomic variables in the loop of a team.
#include <atomic>
#include <mutex>
#include <vector>

class Tally {
public:
  void scores(const std::vector<double> &v) {
#pragma omp parallel for
    for (std::size_t i = 0; i < v.size(); ++i) {
      // expect: omp-critical-section medium "'this->sum'" "a lock"
      std::lock_guard<std::mutex> hold(door);
      sum += v[i];
    }
  }

  void largest(const std::vector<double> &v) {
#pragma omp parallel for
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double x = v[i] * v[i];
      // expect: omp-critical-section medium "'this->most'" "a lock"
      std::scoped_lock hold(door);
      if (x > most)
        most = x;
    }
  }

  void bins(const std::vector<double> &v) {
#pragma omp parallel for
    for (std::size_t i = 0; i < v.size(); ++i) {
      const int b = v[i] < 0 ? 0 : 1;
      {
        // expect: omp-critical-section medium "'this->histogram[b]'" "a lock"
        std::unique_lock hold{door};
        histogram[b]++;
      }
    }
  }

  void weigh(const std::vector<double> &v) {
#pragma omp parallel for
    for (std::size_t i = 0; i < v.size(); ++i) {
      // expect: omp-critical-section medium "an atomic update" "'this->sum'"
#pragma omp atomic
      sum += v[i];
    }
  }

  void visits(const std::vector<double> &v) {
#pragma omp parallel for
    for (std::size_t i = 0; i < v.size(); ++i)
      // expect: omp-critical-section medium "an atomic update" "'this->seen'"
      seen += v[i] > 0.5;
  }

private:
  std::mutex door;
  double sum = 0, most = 0;
  long histogram[2] = {};
  std::atomic<long> seen{0};
};

double run(const std::vector<double> &v, Tally &t) {
  std::atomic<long> positive(0);
  t.scores(v);
  t.largest(v);
  t.bins(v);
  t.weigh(v);
  t.visits(v);
#pragma omp parallel for
  for (std::size_t i = 0; i < v.size(); ++i) {
    // expect: omp-critical-section high "an atomic update" "'positive'"
    positive.fetch_add(v[i] > 0 ? 1 : 0, std::memory_order_relaxed);
  }
  return static_cast<double>(positive.load());
}
