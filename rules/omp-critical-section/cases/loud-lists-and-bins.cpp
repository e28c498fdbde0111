// flags: -fopenmp
// What each thread could gather for itself: a list, the bins of a small array, a mesh of its own for a deposit; and a
// section three calls away from the loop.
#include <algorithm>
#include <array>
#include <vector>

std::vector<int> frontier(const std::vector<int> &level, int depth) {
  std::vector<int> next;
#pragma omp parallel for schedule(dynamic, 256)
  for (int v = 0; v < static_cast<int>(level.size()); ++v)
    if (level[v] > depth) {
      // expect: omp-critical-section medium "'next'" "append to a list of its own" no-fix
#pragma omp critical
      next.push_back(v);
    }
  return next;
}

std::array<long, 256> histogram(const std::vector<float> &values) {
  std::array<long, 256> bins{};
#pragma omp parallel for
  for (int i = 0; i < static_cast<int>(values.size()); ++i) {
    const int b = std::min(255, std::max(0, static_cast<int>(values[i] * 255.0f)));
    // expect: omp-critical-section medium "an atomic update" "'bins[b]'" "an array reduction (reduction(+:…[:n])) does so" no-fix
#pragma omp atomic
    bins[b]++;
  }
  return bins;
}

void deposit(const std::vector<double> &x, std::vector<double> &rho, int n) {
#pragma omp parallel for
  for (int p = 0; p < static_cast<int>(x.size()); ++p) {
    const double s = x[p] * n;
    // expect: omp-critical-section medium "a critical section" "let each thread collect in an array of its own" no-fix
#pragma omp critical(mesh)
    {
      for (int b = 0; b < 2; ++b) {
        const int cell = (static_cast<int>(s) + b) % n;
        rho[cell] += b ? s - static_cast<int>(s) : 1 - s + static_cast<int>(s);
      }
    }
  }
}

class Slab {
  std::vector<double> flux;

public:
  explicit Slab(int cells) : flux(cells) {}
  void score(double x, double w) {
    // expect: omp-critical-section high "'this->flux[static_cast<int>(x)]'" no-fix
#pragma omp critical(score)
    flux[static_cast<int>(x)] += w;
  }
};

void fly(Slab &slab, double x) {
  while (x > 0) {
    slab.score(x, 1.0);
    x -= 1.0;
  }
}

void generation(Slab &slab, int histories) {
#pragma omp parallel for
  for (int h = 0; h < histories; h++)
    fly(slab, h % 100);
}
