#include "graph.hpp"

graph make(int scale, std::size_t vertices, int landmarks) {
  graph made;
  made.vertices = vertices;
  made.buckets = std::size_t(1) << scale;
  made.hops.resize(vertices * landmarks);
  return made;
}

planes components(int scale) {
  planes made;
  made.length = std::size_t(1) << scale;
  made.values.resize(3 * made.length);
  return made;
}

void smooth(const double *weight, long rows, long columns) {
  matrix table(rows, columns);
  filter(table, weight, rows, columns);
}

tile narrow(int scale) {
  tile made;
  made.width = std::size_t(1) << (scale & 3);
  made.values.resize(64 * made.width);
  return made;
}
