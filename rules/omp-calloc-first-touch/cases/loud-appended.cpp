// flags: -fopenmp
// Objects that are appended to a vector, made by the caller, by the vector, or behind a pointer that owns them.
#include <memory>
#include <vector>

struct Block {
  Block(int cells, double value) {
    // expect: omp-calloc-first-touch medium "assign writes 'owned'"
    owned.assign(cells, value);
  }
  std::vector<double> owned;
};
struct Level {
  explicit Level(int cells) {
    // expect: omp-calloc-first-touch medium "resize writes 'made'"
    made.resize(cells);
  }
  std::vector<double> made;
};
struct Layer {
  explicit Layer(int cells) {
    // expect: omp-calloc-first-touch medium "resize writes 'moved'"
    moved.resize(cells);
  }
  std::vector<double> moved;
};
struct Plane {
  explicit Plane(int cells) {
    // expect: omp-calloc-first-touch medium "resize writes 'pointed'"
    pointed.resize(cells);
  }
  std::vector<double> pointed;
};
struct Grid {
  explicit Grid(int cells) {
    // expect: omp-calloc-first-touch medium "resize writes 'reset'"
    reset.resize(cells);
  }
  std::vector<double> reset;
};

void advance(int cells, int parts, int steps) {
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<Level> levels;
  std::vector<Layer> layers;
  std::vector<std::unique_ptr<Plane>> planes;
  std::unique_ptr<Grid> grid;
  grid.reset(new Grid(cells));
  for (int p = 0; p < parts; ++p) {
    blocks.push_back(std::unique_ptr<Block>(new Block(cells, 1.0)));
    levels.emplace_back(cells);
    layers.push_back(Layer(cells));
    planes.emplace_back(new Plane(cells));
  }
  for (int t = 0; t < steps; ++t)
    for (int p = 0; p < parts; ++p) {
      std::vector<double> &a = blocks[p]->owned, &b = levels[p].made, &c = layers[p].moved, &d = planes[p]->pointed;
      // expect: omp-region-in-loop medium "one row of the data"
#pragma omp parallel for
      for (int i = 0; i < cells; ++i) {
        a[i] *= 0.5;
        b[i] *= 0.5;
        c[i] *= 0.5;
        d[i] *= 0.5;
        grid->reset[i] *= 0.5;
      }
    }
}
