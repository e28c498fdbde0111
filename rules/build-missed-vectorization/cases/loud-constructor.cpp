// A table that an object makes of its energies when it is built, and one that each step fills anew.
#include <cmath>
#include <cstddef>
#include <vector>

class Table {
public:
  Table(const std::vector<double> &energies, double slope) : values(energies.size()) {
    // expect: build-missed-vectorization low "calls of exp go to scalar functions"
    for (std::size_t i = 0; i < energies.size(); i++)
      values[i] = slope * std::exp(energies[i]);
  }
  void refill(const std::vector<double> &energies, double slope) {
    // expect: build-missed-vectorization high "calls of exp go to scalar functions"
    for (std::size_t i = 0; i < energies.size(); i++)
      values[i] = slope * std::exp(energies[i]);
  }
  double last() const { return values.back(); }

private:
  std::vector<double> values;
};

double run(const std::vector<double> &energies, int steps) {
  double all = 0.0;
  Table kept(energies, 1.0);
  for (int s = 0; s < steps; s++) {
    kept.refill(energies, s);
    all += kept.last() + Table(energies, s).last();
  }
  return all;
}
