// flags: -fopenmp
// Sums in other words: class members, containers, helpers, std::max, extremum by condition, capture.
#include <algorithm>
#include <cstddef>
#include <vector>

namespace {

inline double square(double v) { return v * v; }

class Statistics {
public:
  void scan(const std::vector<double> &values) {
    const std::size_t n = values.size();
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i) {
      // expect: omp-critical-section high "a critical section" "'this->sum'"
#pragma omp critical
      sum += square(values[i]);
    }
  }
  void bins(const std::vector<int> &keys) {
#pragma omp parallel for
    for (std::size_t i = 0; i < keys.size(); ++i) {
      // expect: omp-critical-section high "'this->counts[keys[i]]'" "a critical section"
#pragma omp critical(bins)
      ++counts[keys[i]];
    }
  }
  double sum = 0;
  std::vector<long> counts = std::vector<long>(100);
};

template <typename T> T largest(const T *values, int n) {
  T top = values[0];
#pragma omp parallel for
  for (int i = 1; i < n; ++i) {
    // expect: omp-critical-section high "a critical section" "'top'"
#pragma omp critical(top)
    top = std::max(top, values[i]);
  }
  return top;
}

} // namespace

int select(const double *values, int n, int *chosen) {
  int count = 0;
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i)
      if (values[i] > 0.5) {
        int slot;
        // expect: omp-critical-section medium "a critical section" "'count'"
#pragma omp critical(ticket)
        slot = count++;
        chosen[slot] = i;
      }
  }
  return count;
}

double both(const std::vector<double> &v, double *squares) {
  double sum = 0, squared = 0;
#pragma omp parallel for shared(sum, squared)
  for (std::size_t i = 0; i < v.size(); ++i) {
    // expect: omp-critical-section high "'sum' and 'squared'" "a critical section"
#pragma omp critical(two)
    {
      sum += v[i];
      squared = squared + v[i] * v[i];
    }
  }
  *squares = squared;
  return sum;
}

double use(const std::vector<double> &v, const std::vector<int> &keys) {
  Statistics s;
  s.scan(v);
  s.bins(keys);
  return s.sum + largest(v.data(), static_cast<int>(v.size())) + largest(keys.data(), 10);
}
