// A sum in memory that two loops add to: the one carries it through the other, and its order is free in both.
#include <vector>

using frame = std::vector<double>;

void correlate(const std::vector<frame> &history, std::vector<double> &sum, std::size_t atoms) {
  const int frames = static_cast<int>(history.size());
  for (int lag = 0; lag < frames; ++lag)
    for (std::size_t atom = 0; atom < atoms; ++atom)
      // expect: mem-strided-inner-loop medium "from row to row" "make 'atom' (line 9) the innermost loop" "sums are then rounded in another order"
      for (int t = 0; t + lag < frames; ++t)
        sum[lag] += history[t][atom] * history[t + lag][atom];
}
