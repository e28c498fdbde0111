// A frame each half second, for which the solver waits. Who sleeps for a time that is counted from now stands for work.
#include <chrono>
#include <cstdio>
#include <thread>

using Clock = std::chrono::steady_clock;

class Preview {
public:
  void push(const double *u, int n) {
    while (Clock::now() < next)
      // expect: run-sleep-in-loop medium "sleep_for stops each iteration of the loop 'step' for 20 ms"
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (std::FILE *out = std::fopen("preview.raw", "wb")) {
      std::fwrite(u, sizeof(double), n, out);
      std::fclose(out);
    }
    next = Clock::now() + std::chrono::milliseconds(500);
  }

private:
  Clock::time_point next;
};

static void pretend_to_work() {
  const Clock::time_point begin = Clock::now();
  while (Clock::now() - begin < std::chrono::milliseconds(30))
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

double run(double *u, int n, int steps) {
  Preview preview;
  for (int step = 0; step < steps; ++step) {
    for (int i = 1; i < n - 1; ++i)
      u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    preview.push(u, n);
    pretend_to_work();
  }
  return u[1];
}
