// flags: -fopenmp
// The vector writes its elements first, the loop behind it again: both are one thread's.
#include <cstddef>
#include <vector>

struct Mesh {
  std::vector<double> energy, speed;
  void allocate(std::size_t cells) {
    // expect: omp-calloc-first-touch medium "'energy'" "line 22"
    energy.resize(cells);
    // expect: omp-calloc-first-touch medium "'speed'" "line 22"
    speed.resize(cells);
  }
  void fill(double start) {
    for (std::size_t i = 0; i < energy.size(); ++i) {
      energy[i] = start;
      speed[i] = 0.0;
    }
  }
  void step() {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < energy.size(); ++i)
      speed[i] += 0.5 * energy[i];
  }
};

double run(std::size_t cells, int steps) {
  Mesh mesh;
  mesh.allocate(cells);
  mesh.fill(1.0);
  for (int s = 0; s < steps; ++s)
    mesh.step();
  return mesh.speed[0];
}
