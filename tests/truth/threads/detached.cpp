// A pool of detached threads that lives until the program ends; main waits for it by a condition.
// rule: omp-false-sharing @count -
// watch: sharing
// with: clang
// flags: -O2
// twin: each has a line of its own
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

#ifdef TWIN
static constexpr int apart = 16;
#else
static constexpr int apart = 1;
#endif
static volatile int cells[16 * 4];
static std::mutex lock;
static std::condition_variable done;
static int finished;

int main() {
  for (int t = 0; t < 3; t++)
    std::thread([t] {
      for (int i = 0; i < 500000; i++)
        cells[t * apart] += i; // @count
      std::lock_guard<std::mutex> guard(lock);
      finished++;
      done.notify_one();
    }).detach();
  std::unique_lock<std::mutex> guard(lock);
  done.wait(guard, [] { return finished == 3; });
  std::printf("%d\n", cells[0]);
  return 0;
}
