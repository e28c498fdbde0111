#include "system.hpp"
#include <omp.h>
#include <cmath>
#include <random>

namespace md {

Env env;

// eps, sigma of the two species
double ljTable(int ti, int tj, int which) {
  static const double eps[2][2] = {{1.0, 0.8}, {0.8, 0.5}};
  static const double sig[2][2] = {{1.0, 0.9}, {0.9, 0.88}};
  return which == 0 ? eps[ti][tj] : sig[ti][tj];
}

System::System(int nside, double rho, double rcut) : rcut_(rcut), skin_(0.3) {
  const double a = std::cbrt(1.0 / rho);
  lx = ly = nside * a;
  lz = nside * a * env.size;
  zlo = lz / env.size * env.rank;
  zhi = lz / env.size * (env.rank + 1);
  std::mt19937 gen(99 + env.rank);
  std::normal_distribution<double> g(0.0, 1.0);
  for (int x = 0; x < nside; ++x)
    for (int y = 0; y < nside; ++y)
      for (int z = 0; z < nside; ++z) {
        Atom t{};
        t.pos = {(x + 0.5) * a, (y + 0.5) * a, zlo + (z + 0.5) * a};
        t.unwrapped = t.pos;
        for (auto &v : t.vel) v = g(gen);
        t.mass = 1.0;
        t.type = (x + y + z) % 2;
        t.id = std::int64_t(atoms_.size()) + 100000000LL * env.rank;
        atoms_.push_back(t);
      }
  nlocal_ = static_cast<int>(atoms_.size());
  eThread_.assign(omp_get_max_threads(), 0.0);
  switching = [](double r2) { return r2 < 4.0 ? 1.0 : 1.0 - (r2 - 4.0) * (r2 - 4.0) * 0.01; };
}

}  // namespace md
