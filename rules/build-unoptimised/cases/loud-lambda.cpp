// Lambdas and range-for need inlining more than anything else.
// flags: -O0
#include <cstdio>
#include <numeric>
#include <vector>

// expect: build-unoptimised high "every value of its loops goes through memory" "without optimisation"
int main() {
  std::vector<double> values(100000, 1.5);
  auto scale = [](double &v, double by) { v *= by; };
  for (auto &v : values)
    scale(v, 1.0000001);
  std::printf("%g\n", std::accumulate(values.begin(), values.end(), 0.0));
}
