// A sum in memory that two loops add to: the one carries it through the other, and its order is free in both.
#include <vector>

using frame = std::vector<double>;

std::vector<double> correlate(const std::vector<frame> &history, std::size_t atoms) {
  const int frames = static_cast<int>(history.size());
  std::vector<double> sum(frames, 0.0);
  for (int lag = 0; lag < frames; ++lag)
    for (std::size_t atom = 0; atom < atoms; ++atom)
      // expect: mem-strided-inner-loop medium "make 'atom' (line 10) the innermost loop" "rounded in another"
      for (int t = 0; t + lag < frames; ++t)
        sum[lag] += history[t][atom] * history[t + lag][atom];
  return sum;
}
