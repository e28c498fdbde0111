// A pause before the work, and a ticker that does nothing else.
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

double work(std::vector<double> &x) {
  std::this_thread::sleep_for(std::chrono::seconds(1));
  double sum = 0.0;
  for (double &v : x) {
    v = 2.0 * v;
    sum += v;
  }
  return sum;
}

void countdown(int from) {
  for (int k = from; k > 0; --k) {
    std::printf("%d\n", k);
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}
