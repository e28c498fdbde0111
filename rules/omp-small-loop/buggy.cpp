// flags: -fopenmp
// A team is opened for the three components of a momentum and for the nine directions of a lattice.
#include <array>
#include <cstdio>
#include <vector>

constexpr int Directions = 9, Cells = 30000;
using Vector = std::array<double, 3>;

template <typename T, std::size_t N> void scale(std::array<T, N> &v, T by) {
  // expect: omp-small-loop high
#pragma omp parallel for
  for (std::size_t k = 0; k < N; ++k)
    v[k] *= by;
}

class Lattice {
public:
  Lattice() {
    for (int q = 0; q < Directions; ++q)
      weight[q] = 1.0 / (q + 1);
  }

  void relax(double omega) {
    scale(weight, 1.0 - omega);
    const int n = static_cast<int>(cells.size());
#pragma omp parallel for
    for (int c = 0; c < n; ++c)
      for (int q = 0; q < Directions; ++q)
        cells[c] += weight[q] * (c % 7);
  }

  void kick(Vector &momentum) const {
    // expect: omp-small-loop high
#pragma omp parallel for
    for (int d = 0; d < 3; ++d)
      momentum[d] += 0.5 * weight[d];
  }

  double sum() const {
    double total = 0;
    for (double cell : cells)
      total += cell;
    return total;
  }

private:
  std::array<double, Directions> weight;
  std::vector<double> cells = std::vector<double>(Cells);
};

int main() {
  Lattice lattice;
  Vector momentum{};
  for (int step = 0; step < 100; ++step) {
    lattice.relax(0.01);
    lattice.kick(momentum);
  }
  std::printf("%.6f %.6f\n", lattice.sum(), momentum[0] + momentum[1] + momentum[2]);
}
