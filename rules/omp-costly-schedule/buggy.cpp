// flags: -fopenmp
// fixes: omp-costly-schedule
// A field class and its updates: every cell does the same few operations, and is fetched one by one.
#include <cstddef>
#include <cstdio>
#include <vector>

constexpr std::size_t Cells = 80000;

template <typename T> class Field {
public:
  T &operator[](std::size_t i) { return cells[i]; }
  const T &operator[](std::size_t i) const { return cells[i]; }
  std::size_t size() const { return cells.size(); }

private:
  std::vector<T> cells = std::vector<T>(Cells);
};

// Newton steps until the value stands still: how many they are differs from cell to cell.
static double root(double of) {
  double guess = 1;
  while (guess * guess - of > 1e-9 || of - guess * guess > 1e-9)
    guess = 0.5 * (guess + of / guess);
  return guess;
}

class Medium {
public:
  Medium() {
    for (std::size_t i = 0; i < Cells; ++i)
      pressure[i] = 1.0 + double(i % 19);
  }

  void step(double dt) {
    const std::size_t n = pressure.size();
    auto push = [dt](double v, double p) { return v + dt * p; };
    // expect: omp-costly-schedule high "about 1 ns of work" "dynamic,1" unsafe-fix
#pragma omp parallel for schedule(dynamic)
    for (std::size_t i = 0; i < n; ++i)
      speed[i] = push(speed[i], pressure[i]);
    // expect: omp-costly-schedule high "about 3 ns of work" "dynamic,2" unsafe-fix
#pragma omp parallel for schedule(dynamic, 2)
    for (std::size_t i = 0; i < n; ++i)
      energy[i] = 0.5 * speed[i] * speed[i];
  }

  void solve() {
    const std::size_t n = pressure.size();
    // may-run: omp-costly-schedule
#pragma omp parallel for schedule(dynamic, 16)
    for (std::size_t i = 0; i < n; ++i)
      energy[i] = root(energy[i] + pressure[i]);
  }

  double sum() const {
    double total = 0;
    for (std::size_t i = 0; i < energy.size(); ++i)
      total += energy[i];
    return total;
  }

private:
  Field<double> pressure, speed, energy;
};

int main() {
  Medium medium;
  for (int step = 0; step < 4; ++step)
    medium.step(0.125);
  medium.solve();
  std::printf("%.6f\n", medium.sum());
}
