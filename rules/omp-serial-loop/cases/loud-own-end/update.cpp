// flags: -fopenmp
// All weights at once, which the team's loops take for a matrix.
#include "layer.hpp"

void update(Layer &l) {
  // expect: omp-serial-loop medium unsafe-fix
  for (std::size_t k = 0; k < l.w.size(); ++k)
    l.w[k] -= 1e-3 * l.g[k];
}
