// flags: -pthread
// Threads of the standard library: a lambda, a function with references, a member function, tasks.
#include <atomic>
#include <cstddef>
#include <functional>
#include <future>
#include <thread>
#include <vector>

struct Tally {
  std::atomic<long> hits{0}, misses{0};
};

static void count(std::vector<Tally> &tallies, std::size_t mine, const std::vector<int> &keys, int wanted) {
  for (int key : keys)
    if (key == wanted)
      // expect: omp-false-sharing high "neighbouring threads" "tallies"
      ++tallies[mine].hits;
    else
      ++tallies[mine].misses;
}

class Worker {
public:
  void run(long rounds) {
    for (long r = 0; r < rounds; ++r)
      // expect: omp-false-sharing high "neighbouring threads" "workers"
      Done = Done + 1;
  }

private:
  volatile long Done = 0;
};

long search(const std::vector<int> &keys, int wanted, unsigned threads, std::vector<Worker> &workers, long rounds) {
  std::vector<Tally> tallies(threads);
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; ++t)
    running.emplace_back(count, std::ref(tallies), t, std::cref(keys), wanted);
  for (std::thread &thread : running)
    thread.join();
  running.clear();
  for (auto &worker : workers)
    running.push_back(std::thread(&Worker::run, &worker, rounds));
  for (std::thread &thread : running)
    thread.join();

  std::vector<double> sums(threads);
  std::vector<std::future<void>> tasks;
  for (unsigned t = 0; t < threads; ++t)
    tasks.push_back(std::async(std::launch::async, [&sums, &keys, t] {
      for (std::size_t i = 0; i < keys.size(); ++i)
        // expect: omp-false-sharing medium "neighbouring threads" "sums"
        sums[t] += keys[i] + (i % 2 ? sums[t] : 0.5);
    }));
  for (auto &task : tasks)
    task.get();
  return static_cast<long>(sums[0]);
}
