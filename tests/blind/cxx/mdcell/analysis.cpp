#include <algorithm>
#include <cmath>
#include "parallel.hpp"
#include "system.hpp"

namespace md {

void System::density(Grid3<double> &g) const {
  std::fill(g.begin(), g.end(), 0.0);
#pragma omp parallel for
  for (int i = 0; i < nlocal_; ++i) {
    const Vec3 &p = atoms_[i].pos;
    const int x = std::min(g.nx() - 1, int(p[0] / lx * g.nx()));
    const int y = std::min(g.ny() - 1, int(p[1] / ly * g.ny()));
    const int z = std::max(0, std::min(g.nz() - 1, int((p[2] - zlo) / (zhi - zlo) * g.nz())));
#pragma omp atomic
    g(x, y, z) += 1.0;
  }
}

// 7-point filter of the density
void System::smooth(const Grid3<double> &a, Grid3<double> &b) const {
  const int nx = a.nx(), ny = a.ny(), nz = a.nz();
#pragma omp parallel for collapse(2)
  for (int x = 0; x < nx; ++x)
    for (int y = 0; y < ny; ++y)
      for (int z = 0; z < nz; ++z) {
        const int xm = (x + nx - 1) % nx, xp = (x + 1) % nx;
        const int ym = (y + ny - 1) % ny, yp = (y + 1) % ny;
        const int zm = std::max(0, z - 1), zp = std::min(nz - 1, z + 1);
        b(x, y, z) = 0.25 * a(x, y, z) + 0.125 * (a(xm, y, z) + a(xp, y, z) + a(x, ym, z) +
                                                  a(x, yp, z) + a(x, y, zm) + a(x, y, zp));
      }
}

// running mean along z of each column, open ends
void runningMeanZ(const Grid3<double> &a, Grid3<double> &b, int width) {
#pragma omp parallel for
  for (int y = 0; y < a.ny(); ++y)
    for (int x = 0; x < a.nx(); ++x) {
      double acc = 0.0;
      for (int z = 0; z < a.nz(); ++z) {
        acc += a(x, y, z);
        if (z >= width) acc -= a(x, y, z - width);
        b(x, y, z) = acc / std::min(z + 1, width);
      }
    }
}

// the same along x
void runningMeanX(const Grid3<double> &a, Grid3<double> &b, int width) {
#pragma omp parallel for collapse(2)
  for (int z = 0; z < a.nz(); ++z)
    for (int y = 0; y < a.ny(); ++y) {
      double acc = 0.0;
      for (int x = 0; x < a.nx(); ++x) {
        acc += a(x, y, z);
        if (x >= width) acc -= a(x - width, y, z);
        b(x, y, z) = acc / std::min(x + 1, width);
      }
    }
}

// sheet[y][x] of the density summed over z, rows as vectors
void sheet(const Grid3<double> &g, std::vector<std::vector<double>> &s) {
  s.assign(g.ny(), std::vector<double>(g.nx(), 0.0));
  for (int z = 0; z < g.nz(); ++z)
    for (int x = 0; x < g.nx(); ++x)
      for (auto y = 0; y < g.ny(); ++y) s[y][x] += g(x, y, z);
}

void System::record() {
  std::vector<Vec3> f(nlocal_);
  parallel_for(nlocal_, [&](int i) { f[i] = atoms_[i].unwrapped; });
  history_.push_back(std::move(f));
}

double System::msd() const {
  const auto &f0 = history_.front();
  const int n = std::min(nlocal_, int(f0.size()));
  double s = 0.0;
#pragma omp parallel
  {
    double mine = 0.0;
#pragma omp for
    for (int i = 0; i < n; ++i)
      for (int d = 0; d < 3; ++d) {
        const double u = atoms_[i].unwrapped[d] - f0[i][d];
        mine += u * u;
      }
#pragma omp barrier
#pragma omp atomic
    s += mine;
  }
  return s / std::max(1, n);
}

// mean square displacement against the lag, all origins
void System::msdCurve(std::vector<double> &c) const {
  const int nf = int(history_.size());
  std::size_t n = history_.front().size();
  for (const auto &f : history_) n = std::min(n, f.size());
  c.assign(nf, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (int lag = 1; lag < nf; ++lag)
      for (int t = 0; t + lag < nf; ++t) {
        const Vec3 &u = history_[t][i], &v = history_[t + lag][i];
        for (int d = 0; d < 3; ++d) c[lag] += (u[d] - v[d]) * (u[d] - v[d]);
      }
  for (int lag = 1; lag < nf; ++lag) c[lag] /= double(n) * (nf - lag);
}

// Fourier amplitude of the lattice
double System::orderParameter() const {
  double re = 0.0, im = 0.0;
  const double k = 2.0 * M_PI / lx * 8.0;
#pragma omp parallel for reduction(+ : re, im)
  for (int i = 0; i < nlocal_; ++i) {
    const double ph = k * atoms_[i].pos[0];
    re += std::cos(ph);
    im += std::sin(ph);
  }
  return std::sqrt(re * re + im * im) / nlocal_;
}

void System::histogram(std::vector<long> &h) const {
  const int nb = int(h.size());
  std::fill(h.begin(), h.end(), 0L);
#pragma omp parallel for
  for (int i = 0; i < nlocal_; ++i) {
    const Vec3 &v = atoms_[i].vel;
    const double s = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const int b = std::min(nb - 1, int(s * 4.0));
#pragma omp critical
    ++h[b];
  }
}

}  // namespace md
