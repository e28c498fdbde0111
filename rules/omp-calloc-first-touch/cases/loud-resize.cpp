// flags: -fopenmp
// resize() in a member, long before the team's loops.
#include <cstddef>
#include <vector>

template <typename T> class Grid {
public:
  void allocate(std::size_t x, std::size_t y) {
    Nx = x;
    Ny = y;
    // expect: omp-calloc-first-touch medium "'Cells'" "line 28"
    Cells.resize(x * y);
  }
  T &operator()(std::size_t i, std::size_t j) { return Cells[i * Ny + j]; }
  std::size_t rows() const { return Nx; }
  std::size_t columns() const { return Ny; }

private:
  std::vector<T> Cells;
  std::size_t Nx = 0, Ny = 0;
};

double relax(std::size_t x, std::size_t y, int sweeps) {
  Grid<double> grid;
  grid.allocate(x, y);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < grid.rows(); ++i)
      for (std::size_t j = 0; j < grid.columns(); ++j)
        grid(i, j) = 0.5 * grid(i, j) + 1.0;
  }
  return grid(0, 0);
}
