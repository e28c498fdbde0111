// Results of std::async lie side by side on the heap.
// rule: omp-false-sharing @count -
// watch: sharing
// with: clang
// flags: -O2
// twin: each task returns its own
#include <cstdio>
#include <future>
#include <memory>
#include <vector>

static double work(volatile double *result) {
  for (int i = 0; i < 500000; i++)
    *result = *result + 1.0 / (1 + i); // @count
  return *result;
}

int main() {
  std::unique_ptr<double[]> results(new double[4]());
  std::vector<std::future<double>> futures;
  for (int t = 0; t < 4; t++)
    futures.push_back(std::async(std::launch::async, [&results, t] {
#ifdef TWIN
      double own = 0;
      return work(&own);
#else
      return work(&results[t]);
#endif
    }));
  double sum = 0;
  for (auto &future : futures)
    sum += future.get();
  std::printf("%g\n", sum);
  return 0;
}
