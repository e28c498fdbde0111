// flags: -fopenmp
// Colours, a handful, each a good part of the edges, which add to cells that no other edge of the colour has; a list of
// lists whose elements unknown code works on.
#include <vector>

struct Edge {
  int left, right;
  double length;
};

void gather(const std::vector<std::vector<int>> &colours, const std::vector<Edge> &edges, std::vector<double> &sum,
            const std::vector<double> &value) {
  for (const auto &colour : colours) {
    const int count = static_cast<int>(colour.size());
#pragma omp parallel for
    for (int k = 0; k < count; ++k) {
      const Edge &e = edges[colour[k]];
      const double flux = e.length * (value[e.left] - value[e.right]);
      sum[e.left] += flux;
      sum[e.right] -= flux;
    }
  }
}

void assemble(int element, std::vector<double> &into);

void assemble_colours(const std::vector<std::vector<int>> &colours, std::vector<double> &into) {
  for (const auto &colour : colours) {
    const int count = static_cast<int>(colour.size());
#pragma omp parallel for
    for (int k = 0; k < count; ++k)
      assemble(colour[k], into);
  }
}
