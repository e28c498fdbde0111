// Heat in a block behind a view: three planes of 2 MiB each are gone before the sweep comes back to them.
#include <cstdio>
#include <cstdlib>
#include <vector>

template <typename T, int Slices, int Rows, int Columns> class Volume {
public:
  Volume() : cells(static_cast<std::size_t>(Slices) * Rows * Columns) {}
  T &operator()(int z, int y, int x) { return cells[at(z, y, x)]; }
  const T &operator()(int z, int y, int x) const { return cells[at(z, y, x)]; }

private:
  static std::size_t at(int z, int y, int x) { return (static_cast<std::size_t>(z) * Rows + y) * Columns + x; }
  std::vector<T> cells;
};

constexpr int Slices = 20, Rows = 512, Columns = 512;
using Block = Volume<double, Slices, Rows, Columns>;
using Plate = Volume<double, 3, 100, 100>;

template <typename Sum> void sweep(Block &out, const Block &in, Sum neighbours) {
  // expect: mem-unblocked-stencil high "after 7.9 MiB of other data" "planes"
  for (int z = 1; z < Slices - 1; z++)
    for (int y = 1; y < Rows - 1; y++)
      for (int x = 1; x < Columns - 1; x++)
        out(z, y, x) = 0.5 * in(z, y, x) + 0.0833 * neighbours(in, z, y, x);
}

// Three planes of 80 KB: they stay in the cache.
static void cool(Plate &out, const Plate &in) {
  for (int y = 1; y < 99; y++)
    for (int x = 1; x < 99; x++)
      out(1, y, x) = 0.25 * (in(0, y, x) + in(2, y, x) + in(1, y - 1, x) + in(1, y + 1, x));
}

// One plane at a time: no neighbour lies in another one.
static void scale(Block &block, double by) {
  for (int z = 0; z < Slices; z++)
    for (int y = 0; y < Rows; y++)
      for (int x = 0; x < Columns; x++)
        block(z, y, x) *= by;
}

int main(int argc, char **argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 2;
  Block now, next;
  Plate plate, cooled;
  for (int z = 0; z < Slices; z++)
    for (int y = 0; y < Rows; y++)
      for (int x = 0; x < Columns; x++)
        now(z, y, x) = (x + 3 * y + 7 * z) % 32;
  const auto cross = [](const Block &in, int z, int y, int x) {
    return in(z - 1, y, x) + in(z + 1, y, x) + in(z, y - 1, x) + in(z, y + 1, x) + in(z, y, x - 1) + in(z, y, x + 1);
  };
  for (int t = 0; t < steps; t++) {
    sweep(next, now, cross);
    sweep(now, next, cross);
  }
  plate(1, 3, 4) = 2.0;
  cool(cooled, plate);
  scale(now, 0.5);
  std::printf("%.6f %.3f\n", now(9, 200, 300), cooled(1, 4, 4));
}
