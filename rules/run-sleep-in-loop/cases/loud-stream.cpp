// A file of its own for each step, and a nap behind it.
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

void save(const std::vector<double> &field, int steps) {
  for (int step = 0; step < steps; step++) {
    std::ofstream out("step" + std::to_string(step));
    for (double v : field)
      out << v << '\n';
    // expect: run-sleep-in-loop high "sleep_for" "'step'"
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}
