// flags: -fopenmp
// Particles cluster at the end of the box: equal numbers of cells are unequal work.
#include <array>
#include <cmath>
#include <cstdio>

struct Cell {
  int particles = 0;
  double force = 0;
};

static double attraction(int particles) {
  double sum = 0;
  for (int pair = 0; pair < particles * particles; ++pair)
    sum += 1 / std::sqrt(1.0 + pair);
  return sum;
}

int main() {
  static std::array<Cell, 512> cells;
  for (int c = 0; c < 512; ++c)
    cells[c].particles = c < 256 ? 8 : 64;
  for (int step = 0; step < 20; ++step) {
    // expect-run: omp-load-imbalance high "20 times" "for thread" "schedule"
#pragma omp parallel for schedule(static)
    for (int c = 0; c < 512; ++c)
      cells[c].force += attraction(cells[c].particles);
  }
  double total = 0;
  for (const Cell &cell : cells)
    total += cell.force;
  std::printf("%.6f\n", total);
}
