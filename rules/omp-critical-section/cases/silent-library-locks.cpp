// flags: -fopenmp
// Locks that hold more than single values, and atomic variables that hand out work or report progress.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <unordered_map>
#include <vector>

class Assembly {
public:
  void add(long key, double value) {
    std::lock_guard<std::mutex> hold(door);
    entries[key] += value;
  }
  void collect(const std::vector<double> &v) {
#pragma omp parallel for
    for (std::size_t i = 0; i < v.size(); ++i) {
      std::lock_guard<std::mutex> hold(door);
      list.push_back(v[i]);
      sum += v[i];
    }
  }
  void once(const std::vector<double> &v) {
#pragma omp parallel
    {
      double mine = 0;
#pragma omp for
      for (std::size_t i = 0; i < v.size(); ++i)
        mine += v[i];
      std::lock_guard<std::mutex> hold(door);
      sum += mine;
    }
  }
  void maybe(const std::vector<double> &v) {
#pragma omp parallel for
    for (std::size_t i = 0; i < v.size(); ++i) {
      std::unique_lock<std::mutex> hold(door, std::try_to_lock);
      sum += v[i];
    }
  }

private:
  std::mutex door;
  std::unordered_map<long, double> entries;
  std::vector<double> list;
  double sum = 0;
};

void assemble(Assembly &a, const std::vector<double> &v) {
#pragma omp parallel for
  for (std::size_t i = 0; i < v.size(); ++i)
    a.add(static_cast<long>(i % 1000), v[i]);
}

void queue(std::vector<double> &v) {
  std::atomic<std::size_t> next{0}, done{0};
#pragma omp parallel
  {
    for (std::size_t i = next.fetch_add(1); i < v.size(); i = next.fetch_add(1)) {
      v[i] *= 2;
      done++;
      if (done % 1000 == 0)
        std::printf("%zu\n", done.load());
    }
  }
}

class Counters {
public:
  void run(std::vector<double> &v) {
#pragma omp parallel for
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i] += 1;
      slots[i % 64].fetch_add(1);
    }
  }

private:
  std::vector<std::atomic<long>> slots = std::vector<std::atomic<long>>(64);
};
