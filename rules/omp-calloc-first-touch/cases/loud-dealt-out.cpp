// flags: -fopenmp
// One array is used by a loop with fixed shares as well, the other one only where iterations go to whoever comes.
#include <cmath>
#include <cstddef>
#include <vector>

class Bodies {
public:
  explicit Bodies(std::size_t n)
      // expect: omp-calloc-first-touch medium "the constructor of std::vector" "'place_'"
      : place_(n),
        // expect: omp-calloc-first-touch medium "the constructor of std::vector" "'force_'"
        force_(n) {}

  void forces() {
#pragma omp parallel for schedule(dynamic, 64)
    for (std::size_t i = 0; i < place_.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < i; ++j)
        sum += 1 / (1 + std::fabs(place_[i] - place_[j]));
      force_[i] = sum;
    }
  }

  void move(double dt) {
#pragma omp parallel for
    for (std::size_t i = 0; i < place_.size(); ++i)
      place_[i] *= 1 - dt;
  }

private:
  std::vector<double> place_, force_;
};

void simulate(std::size_t n, int steps) {
  Bodies b(n);
  for (int s = 0; s < steps; ++s) {
    b.forces();
    b.move(1e-3);
  }
}
