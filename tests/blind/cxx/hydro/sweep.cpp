#include <algorithm>
#include <cmath>

#include "block.hpp"

namespace hyd {

static inline double minmod(double a, double b) {
  if (a * b <= 0.0) return 0.0;
  return std::fabs(a) < std::fabs(b) ? a : b;
}

void Block::limitedSlopes(const double *q, double *s, int n) const {
  for (int k = 1; k < n - 1; ++k) s[k] = minmod(q[k] - q[k - 1], q[k + 1] - q[k]);
}

void Block::hll(const Cons &l, const Cons &r, int dir, Cons &f) const {
  const double ul = l.q[MX + dir] / l.q[RHO], ur = r.q[MX + dir] / r.q[RHO];
  const double kl = 0.5 * (l.q[MX] * l.q[MX] + l.q[MY] * l.q[MY]) / l.q[RHO];
  const double kr = 0.5 * (r.q[MX] * r.q[MX] + r.q[MY] * r.q[MY]) / r.q[RHO];
  const double pl = std::max(0.4 * (l.q[EN] - kl), 1e-10);
  const double pr = std::max(0.4 * (r.q[EN] - kr), 1e-10);
  const double cl = std::sqrt(1.4 * pl / l.q[RHO]), cr = std::sqrt(1.4 * pr / r.q[RHO]);
  const double sl = std::min(std::min(ul - cl, ur - cr), 0.0);
  const double sr = std::max(std::max(ul + cl, ur + cr), 0.0);
  double fl[NVAR], fr[NVAR];
  for (int v = 0; v < NVAR; ++v) {
    fl[v] = l.q[v] * ul;
    fr[v] = r.q[v] * ur;
  }
  fl[MX + dir] += pl;
  fr[MX + dir] += pr;
  fl[EN] += pl * ul;
  fr[EN] += pr * ur;
  const double w = 1.0 / (sr - sl + 1e-300);
  for (int v = 0; v < NVAR; ++v)
    f.q[v] = (sr * fl[v] - sl * fr[v] + sl * sr * (r.q[v] - l.q[v])) * w;
}

// Sweep along i.  A pencil is copied, solved and put back.
void Block::sweepX(double dt) {
  ghosts();
  const double k = dt / dx_;
#pragma omp parallel for
  for (int j = 0; j < nj_; ++j) {
    for (int i = -2; i < ni_ + 2; ++i)
      for (int v = 0; v < NVAR; ++v) line_[i + 2].q[v] = u_[v](i, j);
    for (int i = 0; i <= ni_; ++i) hll(line_[i + 1], line_[i + 2], 0, fline_[i]);
    for (int i = 0; i < ni_; ++i)
      for (int v = 0; v < NVAR; ++v)
        u_[v](i, j) -= k * (fline_[i + 1].q[v] - fline_[i].q[v]);
  }
}

// Sweep along j: the pencil is a row here.
void Block::sweepY(double dt) {
  boundaryY();
  const double k = dt / dy_;
#pragma omp parallel
  {
    std::vector<Cons> line(nj_ + 4), flux(nj_ + 1);
    std::vector<double> q(nj_ + 4), s(nj_ + 4);
#pragma omp for schedule(static)
    for (int i = 0; i < ni_; ++i) {
      for (int v = 0; v < NVAR; ++v) {
        for (int j = -2; j < nj_ + 2; ++j) q[j + 2] = u_[v](i, j);
        limitedSlopes(&q[0], &s[0], nj_ + 4);
        for (int j = -1; j < nj_ + 1; ++j) line[j + 2].q[v] = q[j + 2];
      }
      for (int j = 0; j <= nj_; ++j) hll(line[j + 1], line[j + 2], 1, flux[j]);
      for (int j = 0; j < nj_; ++j)
        for (int v = 0; v < NVAR; ++v)
          u_[v](i, j) -= k * (flux[j + 1].q[v] - flux[j].q[v]);
    }
  }
}

}  // namespace hyd
