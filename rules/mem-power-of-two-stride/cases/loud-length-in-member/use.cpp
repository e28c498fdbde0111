#include "graph.hpp"

double bounds(const graph &of, int landmarks) {
  const std::size_t n = of.vertices;
  double sum = 0;
  for (std::size_t u = 0; u < n; ++u) {
    float most = 0;
    // expect: mem-strided-inner-loop
    for (int l = 0; l < landmarks; ++l)
      most = most > of.hops[l * n + u] ? most : of.hops[l * n + u];
    sum += most;
  }
  return sum;
}

void filter(matrix &of, const double *weight, long rows, long columns) {
  double *const first = of.first();
  const long pitch = of.distance();
  for (long j = 0; j < columns; ++j) {
    double carried = 0;
    // expect: mem-strided-inner-loop
    for (long i = 0; i < rows; ++i)
      first[i * pitch + j] = carried = 0.5 * carried + weight[i] * first[i * pitch + j];
  }
}
