#include <omp.h>
#include <cmath>
#include "lattice.hpp"

namespace lb {

double Model::residual() {
  double r = 0.0;
  const double* a = rho.data();
  double* b = old.data();
#pragma omp parallel for schedule(static)
  for (long k = 0; k < long(rho.size()); ++k) {
    const double d = std::fabs(a[k] - b[k]);
#pragma omp critical
    if (d > r) r = d;
  }
  return r;
}

double Model::mass() const {
  double s = 0.0;
  const double* a = rho.data();
#pragma omp parallel for schedule(static) reduction(+ : s)
  for (long k = 0; k < long(rho.size()); ++k) s += a[k];
  return s;
}

double Model::enstrophy() const {
  double s = 0.0;
#pragma omp parallel for collapse(2) schedule(dynamic) reduction(+ : s)
  for (int x = 1; x < nx - 1; ++x)
    for (int y = 1; y < ny - 1; ++y)
      for (int z = 1; z < nz - 1; ++z) {
        const double wz = uy(x + 1, y, z) - uy(x - 1, y, z) - ux(x, y + 1, z) + ux(x, y - 1, z);
        const double wx = uz(x, y + 1, z) - uz(x, y - 1, z) - uy(x, y, z + 1) + uy(x, y, z - 1);
        s += wz * wz + wx * wx;
      }
  return s;
}

// mean of ux over the planes z
void Model::column(std::vector<double>& c) const {
  c.assign(nz, 0.0);
  for (int z = 0; z < nz; ++z) {
    for (int x = 0; x < nx; ++x)
      for (int y = 0; y < ny; ++y) c[z] += ux(x, y, z);
    c[z] /= double(nx) * ny;
  }
}

void Model::sliceXY(int z, std::vector<float>& img) const {
  img.resize(std::size_t(nx) * ny);
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x)
      img[std::size_t(y) * nx + x] = float(ux(x, y, z));
}

void Model::fluidPerThread(std::vector<long>& n) const {
  long* cnt = n.data();
#pragma omp parallel
  {
    const int t = omp_get_thread_num();
    cnt[t] = 0;
#pragma omp for schedule(static)
    for (std::size_t k = 0; k < solid.size(); ++k)
      if (!solid[k]) ++cnt[t];
  }
}

void Model::probes(std::vector<Probe>& p) const {
  for (Probe& q : p)
    if (q.on) q.last = rho(int(q.x * nx), int(q.y * ny), int(q.z * nz));
}

}  // namespace lb
