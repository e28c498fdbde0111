// A plate cools down, and observers look at it every ten steps. One of them pauses, so that its output could be read.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

class Plate {
public:
  explicit Plate(std::size_t cells) : now(cells), next(cells) {
    for (std::size_t i = 0; i < cells; i++)
      now[i] = static_cast<double>(i % 50);
  }
  void advance() {
    for (std::size_t i = 1; i + 1 < now.size(); i++)
      next[i] = 0.25 * now[i - 1] + 0.5 * now[i] + 0.25 * now[i + 1];
    now.swap(next);
  }
  double middle() const { return now[now.size() / 2]; }

private:
  std::vector<double> now, next;
};

class Progress {
public:
  void show(int step, double value) {
    seen += step * value;
    // expect: run-sleep-in-loop high "sleep_for" "'step'"
    std::this_thread::sleep_for(4ms);
  }
  double sum() const { return seen; }

private:
  double seen = 0.0;
};

// Waits for another thread: there is nothing else to do meanwhile.
static void await(const std::atomic<bool> &ready) {
  while (!ready.load())
    std::this_thread::sleep_for(1ms);
}

int main() {
  std::atomic<bool> ready{false};
  std::thread starter([&ready] { ready = true; });
  await(ready);
  starter.join();
  Plate plate(4000);
  Progress progress;
  for (int step = 0; step < 200; step++) {
    plate.advance();
    if (step % 10 == 0)
      progress.show(step, plate.middle());
  }
  std::printf("%.6f %.3f\n", plate.middle(), progress.sum());
}
