// flags: -fopenmp
// A loop template that opens a region for the body that it is given: what a call does is said of the call.
#include <vector>

template <typename Body> void parallelFor(int n, Body body) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i)
    body(i);
}

struct Cells {
  int nx, ny;
  std::vector<std::vector<int>> members;
  std::vector<double> mass, density;
};

void weigh(Cells &c) {
  for (int y = 0; y < c.ny; ++y)
    for (int x = 0; x < c.nx; ++x) {
      const auto &own = c.members[x + c.nx * y];
      // expect: omp-region-in-loop medium "loop at line 19" "as a table says" "call 'parallelFor' once" no-fix
      parallelFor(static_cast<int>(own.size()), [&](int k) {
        const int i = own[k];
        c.density[i] += c.mass[i];
      });
    }
}

// One region for all.
void scale(Cells &c, double by) {
  parallelFor(static_cast<int>(c.mass.size()), [&](int i) { c.mass[i] *= by; });
}
