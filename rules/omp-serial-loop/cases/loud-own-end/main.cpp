// flags: -fopenmp
#include "layer.hpp"
#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 400;
  Layer l{n, n, {}, {}};
  // expect: omp-calloc-first-touch
  l.w.assign(std::size_t(n) * n, 0.5);
  // expect: omp-calloc-first-touch
  l.g.assign(std::size_t(n) * n, 0.5);
  for (int step = 0; step < 20; step++) {
    gradient(l);
    update(l);
  }
  std::printf("%.6f\n", l.w[n / 2]);
  return 0;
}
