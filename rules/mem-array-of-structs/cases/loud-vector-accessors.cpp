// Members behind accessors, in a vector that a range-based loop and an algorithm-like template go through.
#include <cstdio>
#include <vector>

class Cell {
public:
  double pressure() const { return pressure_; }
  void heat(double by) { temperature_ += by; }
  double temperature() const { return temperature_; }
  void reset(int k) {
    for (double &s : species_)
      s = k;
    temperature_ = k % 7;
    pressure_ = k % 5;
    flags_ = k;
    neighbour_ = k + 1;
  }

private:
  double species_[8];
  double temperature_, pressure_;
  long flags_, neighbour_;
};

template <typename C> double hottest(const C &cells) {
  double top = 0.0;
  // expect: mem-array-of-structs high "Cell"
  for (const auto &c : cells)
    if (c.temperature() > top)
      top = c.temperature();
  return top;
}

class Domain {
public:
  explicit Domain(int n) : cells(static_cast<std::size_t>(n)) {
    int k = 0;
    for (Cell &c : cells)
      c.reset(k++);
  }
  void step(double dt) {
    for (Cell &c : cells)
      c.heat(dt * c.pressure());
  }
  double top() const { return hottest(cells); }

private:
  std::vector<Cell> cells;
};

int main() {
  Domain d(40000);
  double seen = 0.0;
  for (int s = 0; s < 10; s++) {
    d.step(0.01);
    seen += d.top();
  }
  std::printf("%.6f\n", seen);
}
