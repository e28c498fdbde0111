#include <algorithm>
#include <cmath>
#include "lattice.hpp"

namespace lb {

void Model::collide() {
#pragma omp parallel for schedule(static)
  for (int z = 0; z < nz; ++z) {
    double feq[Q];
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        cell_ = Cell{0.0, 0.0, 0.0, 0.0};
        for (int q = 0; q < Q; ++q) {
          const double v = f(q, x, y, z);
          cell_.rho += v;
          cell_.ux += v * cx[q];
          cell_.uy += v * cy[q];
          cell_.uz += v * cz[q];
        }
        cell_.ux /= cell_.rho;
        cell_.uy /= cell_.rho;
        cell_.uz /= cell_.rho;
        equilibrium(cell_, feq);
        for (int q = 0; q < Q; ++q) f(q, x, y, z) += omega * (feq[q] - f(q, x, y, z));
      }
  }
}

// pull scheme
void Model::streamInner() {
  const tasks::Box inner{1, nx - 1, 1, ny - 1, 1, nz - 1};
  for (int q = 0; q < Q; ++q) {
    const int ox = cx[q], oy = cy[q], oz = cz[q];
    tasks::for_box(inner, [&](int x, int y, int z) {
      g(q, x, y, z) = f(q, x - ox, y - oy, z - oz);
    });
  }
}

// shell of the box, periodic in x and y
void Model::streamEdge() {
#pragma omp parallel
  {
    for (int q = 0; q < Q; ++q) {
#pragma omp for
      for (int x = 0; x < nx; ++x) {
        const int xs = (x - cx[q] + nx) % nx;
        for (int y = 0; y < ny; ++y) {
          const int ys = (y - cy[q] + ny) % ny;
          const bool rim = x == 0 || x == nx - 1 || y == 0 || y == ny - 1;
          if (rim) {
            for (int z = 0; z < nz; ++z)
              g(q, x, y, z) = f(q, xs, ys, z - cz[q]);
          } else {
            g(q, x, y, 0) = f(q, xs, ys, -cz[q]);
            g(q, x, y, nz - 1) = f(q, xs, ys, nz - 1 - cz[q]);
          }
        }
      }
    }
  }
}

// reference version, whole box with wrap, used by the even steps
void Model::streamAll() {
#pragma omp parallel for
  for (int q = 0; q < Q; ++q)
    for (int x = 0; x < nx; ++x) {
      const int xs = (x - cx[q] + nx) % nx;
      for (int y = 0; y < ny; ++y) {
        const int ys = (y - cy[q] + ny) % ny;
        for (int z = 0; z < nz; ++z)
          g(q, x, y, z) = f(q, xs, ys, z - cz[q]);
      }
    }
}

void Model::bounceBack() {
#pragma omp parallel for schedule(static)
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y) {
      const char* s = &solid[std::size_t(nx) * (y + std::size_t(ny) * z)];
      for (int x = 0; x < nx; ++x) {
        if (!s[x]) continue;
        for (int q = 1; q < Q; q += 2) std::swap(g(q, x, y, z), g(opposite[q], x, y, z));
      }
    }
}

// moving wall at y = ny-1
void Model::lid(double u) {
  for (int z = 0; z < nz; ++z)
    for (int x = 0; x < nx; ++x) {
      double feq[Q];
      equilibrium({1.0, u, 0.0, 0.0}, feq);
      for (int q = 0; q < Q; ++q) g(q, x, ny - 1, z) = feq[q];
    }
}

void Model::moments() {
  tasks::for_box({0, nx, 0, ny, 0, nz}, [&](int x, int y, int z) {
    double r = 0.0, a = 0.0, b = 0.0, c = 0.0;
    for (int q = 0; q < Q; ++q) {
      const double v = f(q, x, y, z);
      r += v;
      a += v * cx[q];
      b += v * cy[q];
      c += v * cz[q];
    }
    rho(x, y, z) = r;
    ux(x, y, z) = a / r;
    uy(x, y, z) = b / r;
    uz(x, y, z) = c / r;
  });
}

void Model::force(double gx) {
  double* u = ux.data();
  const double* r = rho.data();
  const std::size_t sx = std::size_t(ny) * nz;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        const std::size_t k = x * sx + std::size_t(y) * nz + z;
        u[k] += 0.5 * gx / r[k];
      }
}

void Model::filterDensity() {
  plane_.resize(std::size_t(ny) * nz);
#pragma omp parallel
  {
    for (int x = 1; x < nx - 1; ++x) {
#pragma omp for schedule(static)
      for (int y = 0; y < ny; ++y)
        for (int z = 0; z < nz; ++z)
          plane_[std::size_t(y) * nz + z] =
              0.25 * rho(x - 1, y, z) + 0.5 * rho(x, y, z) + 0.25 * rho(x + 1, y, z);
#pragma omp for schedule(static)
      for (int y = 0; y < ny; ++y)
        for (int z = 0; z < nz; ++z) old(x, y, z) = plane_[std::size_t(y) * nz + z];
    }
  }
}

}  // namespace lb
