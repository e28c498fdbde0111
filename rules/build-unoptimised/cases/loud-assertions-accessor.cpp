// The check hides in a member function's loop.
#include <cassert>
#include <vector>

class Grid {
public:
  Grid(int width, int height) : width(width), height(height), cells(static_cast<std::size_t>(width * height)) {}
  void shift(double by) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        int at = y * width + x;
        // expect: build-unoptimised medium "assertions of innermost loops are" "into the program"
        assert(at >= 0 && at < static_cast<int>(cells.size()));
        cells[static_cast<std::size_t>(at)] += by;
      }
  }

private:
  int width, height;
  std::vector<double> cells;
};

void move_all(std::vector<Grid> &grids) {
  for (Grid &grid : grids)
    grid.shift(0.5);
}
