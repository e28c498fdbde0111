// Counters of std::thread lie in one line.
// rule: omp-false-sharing @count -
// watch: sharing
// with: clang
// flags: -O2
// twin: each has a line of its own
#include <thread>
#include <vector>

#ifdef TWIN
struct alignas(64) Counter {
#else
struct Counter {
#endif
  long hits = 0;
};

int main() {
  std::vector<Counter> counters(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([&counters, t] {
      for (volatile long i = 0; i < 2000000; i = i + 1)
        counters[t].hits++; // @count
    });
  for (auto &thread : threads)
    thread.join();
  return counters[0].hits > 0 ? 0 : 1;
}
