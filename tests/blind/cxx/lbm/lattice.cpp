#include "lattice.hpp"

namespace lb {

const int cx[Q] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
const int cy[Q] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
const int cz[Q] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
const int opposite[Q] = {0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15, 18, 17};
const double w[Q] = {1. / 3,  1. / 18, 1. / 18, 1. / 18, 1. / 18, 1. / 18, 1. / 18,
                     1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36,
                     1. / 36, 1. / 36, 1. / 36, 1. / 36, 1. / 36};

void equilibrium(const Cell& c, double* feq) {
  const double u2 = 1.5 * (c.ux * c.ux + c.uy * c.uy + c.uz * c.uz);
  for (int q = 0; q < Q; ++q) {
    const double cu = 3.0 * (cx[q] * c.ux + cy[q] * c.uy + cz[q] * c.uz);
    feq[q] = w[q] * c.rho * (1.0 + cu + 0.5 * cu * cu - u2);
  }
}

Model::Model(int nx_, int ny_, int nz_, double tau)
    : f(nx_, ny_, nz_), g(nx_, ny_, nz_), rho(nx_, ny_, nz_, 1.0), ux(nx_, ny_, nz_, 0.0),
      uy(nx_, ny_, nz_, 0.0), uz(nx_, ny_, nz_, 0.0), old(nx_, ny_, nz_, 0.0),
      solid(std::size_t(nx_) * ny_ * nz_, 0), nx(nx_), ny(ny_), nz(nz_), omega(1.0 / tau) {
  for (int x = 0; x < nx; ++x)
    for (int y = 0; y < ny; ++y)
      for (int z = 0; z < nz; ++z) {
        const bool wall = x == 0 || x == nx - 1 || y == 0;
        const int dx = x - nx / 2, dy = y - ny / 2;
        solid[x + std::size_t(nx) * (y + std::size_t(ny) * z)] = wall || dx * dx + dy * dy < 16;
      }
  double feq[Q];
  equilibrium({1.0, 0.0, 0.0, 0.0}, feq);
  tasks::for_box({0, nx, 0, ny, -1, nz + 1}, [&](int x, int y, int z) {
    for (int q = 0; q < Q; ++q) f(q, x, y, z) = feq[q];
  });
}

}  // namespace lb
