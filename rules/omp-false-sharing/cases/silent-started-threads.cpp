// flags: -pthread
// The same with slots a line apart, with sums in registers, one thread after another, memory of each thread's own, and
// parts of one record that lie in different lines.
#include <atomic>
#include <cstddef>
#include <memory>
#include <pthread.h>
#include <thread>
#include <vector>

struct alignas(64) Padded {
  std::atomic<long> hits{0};
};

long padded(unsigned threads, long rounds) {
  std::vector<Padded> slots(threads);
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; ++t)
    running.emplace_back([&slots, t, rounds] {
      for (long r = 0; r < rounds; ++r)
        ++slots[t].hits;
    });
  for (auto &thread : running)
    thread.join();
  return slots[0].hits;
}

double in_registers(const std::vector<double> &values, unsigned threads) {
  std::vector<double> sums(threads);
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; ++t)
    running.emplace_back([&, t] {
      double sum = 0;
      for (std::size_t i = t; i < values.size(); i += threads)
        sum += values[i];
      sums[t] = sum;
    });
  for (auto &thread : running)
    thread.join();
  return sums[0];
}

static std::atomic<long> turns[8];
static void take(int mine, long rounds) {
  for (long r = 0; r < rounds; ++r)
    ++turns[mine];
}

void one_after_another(long rounds) {
  for (int t = 0; t < 8; ++t) {
    std::thread thread(take, t, rounds);
    thread.join();
  }
  std::thread first(take, 0, rounds);
  first.join();
  std::thread second(take, 1, rounds);
  second.join();
}

long of_their_own(unsigned threads, long rounds) {
  std::vector<std::unique_ptr<std::atomic<long>>> counts;
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; ++t)
    counts.push_back(std::make_unique<std::atomic<long>>(0));
  for (unsigned t = 0; t < threads; ++t)
    running.emplace_back([&counts, t, rounds] {
      for (long r = 0; r < rounds; ++r)
        ++*counts[t];
    });
  for (auto &thread : running)
    thread.join();
  return *counts[0];
}

static struct {
  volatile long produced;
  alignas(64) volatile long consumed;
  long capacity;
} queue;
static void *produce(void *unused) {
  for (long i = 0; i < 1000000; i++)
    queue.produced = queue.produced + 1;
  return unused;
}
static void *consume(void *unused) {
  for (long i = 0; i < 1000000; i++)
    queue.consumed = queue.consumed + 1;
  return unused;
}

void apart() {
  pthread_t first, second;
  pthread_create(&first, nullptr, produce, nullptr);
  pthread_create(&second, nullptr, consume, nullptr);
  pthread_join(first, nullptr);
  pthread_join(second, nullptr);
}
