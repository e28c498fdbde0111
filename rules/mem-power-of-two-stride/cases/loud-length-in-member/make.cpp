#include "graph.hpp"

static graph empty(std::size_t n, int landmarks) {
  graph made;
  made.vertices = n;
  made.hops.resize(n * landmarks);
  return made;
}

graph make(int scale, int landmarks) {
  if (landmarks < 1)
    return empty(1000, 1);
  // expect: mem-power-of-two-stride medium "'make' makes the rows of a matrix a power of two long" "one cache line"
  const std::size_t n = std::size_t(1) << scale;
  return empty(n, landmarks);
}

void smooth(const double *weight, long rows, long columns) {
  matrix table(rows, columns);
  filter(table, weight, rows, columns);
}
