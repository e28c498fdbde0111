#include "block.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace hyd {

Block::Block(int ni, int nj, int i0, double dx, double dy, const Eos *eos)
    : ni_(ni), nj_(nj), i0_(i0), dx_(dx), dy_(dy), eos_(eos) {
  for (int v = 0; v < NVAR; ++v) {
    u_[v].resize(ni, nj, 2);
    un_[v].resize(ni, nj, 2);
  }
  p_.resize(ni, nj, 2);
  vx_.resize(ni, nj, 2);
  vy_.resize(ni, nj, 2);
  c_.resize(ni, nj, 2);
  work_.resize(ni, nj, 2);
  shock_.resize(ni, nj, 2);
  line_.resize(std::max(ni, nj) + 4);
  fline_.resize(std::max(ni, nj) + 4);
}

void Block::initBlast(int niGlobal) {
  const double xc = 0.5 * niGlobal * dx_, yc = 0.5 * nj_ * dy_;
  for (int j = 0; j < nj_; ++j)
    for (int i = 0; i < ni_; ++i) {
      const double x = (i + i0_ + 0.5) * dx_ - xc, y = (j + 0.5) * dy_ - yc;
      const double r2 = x * x + y * y;
      u_[RHO](i, j) = 1.0;
      u_[MX](i, j) = 0.0;
      u_[MY](i, j) = 0.0;
      u_[EN](i, j) = (r2 < 0.01 ? 10.0 : 0.1) / 0.4;
    }
  srand(17 + i0_);
  const int nt = ni_ * nj_ / 4;
  tracers_.resize(nt);
  for (int k = 0; k < nt; ++k) {
    Tracer &t = tracers_[k];
    t.x = (i0_ + ni_ * (rand() / (RAND_MAX + 1.0))) * dx_;
    t.y = nj_ * (rand() / (RAND_MAX + 1.0)) * dy_;
    t.id = k;
    t.birth = 0.0;
    t.u = t.v = 0.0;
    t.rho = t.p = t.T = 0;
    t.flags = 0;
    for (int h = 0; h < 6; ++h) t.hist[h] = 0.0;
  }
}

void Block::primitives() {
  const Field<double> &r = u_[RHO], &mx = u_[MX], &my = u_[MY], &e = u_[EN];
#pragma omp parallel for
  for (int i = -2; i < ni_ + 2; ++i)
    for (int j = -2; j < nj_ + 2; ++j) {
      const double ir = 1.0 / r(i, j);
      vx_(i, j) = mx(i, j) * ir;
      vy_(i, j) = my(i, j) * ir;
      const double ek = 0.5 * (vx_(i, j) * vx_(i, j) + vy_(i, j) * vy_(i, j));
      p_(i, j) = eos_->pressure(r(i, j), e(i, j) * ir - ek);
      c_(i, j) = eos_->soundSpeed(r(i, j), p_(i, j));
    }
}

double Block::waveSpeed() const {
  double smax = 0.0;
#pragma omp parallel for
  for (int i = 0; i < ni_; ++i)
    for (int j = 0; j < nj_; ++j) {
      const double s = std::fabs(vx_(i, j)) + std::fabs(vy_(i, j)) + c_(i, j);
#pragma omp critical(wave)
      if (s > smax) smax = s;
    }
  return smax;
}

double Block::timeStep(double cfl) const {
  double dt = 1e30;
#pragma omp parallel
  {
    double mine = 1e30;
#pragma omp for nowait
    for (int i = 0; i < ni_; ++i)
      for (int j = 0; j < nj_; ++j) {
        const double a = (std::fabs(vx_(i, j)) + c_(i, j)) / dx_;
        const double b = (std::fabs(vy_(i, j)) + c_(i, j)) / dy_;
        mine = std::min(mine, cfl / std::max(a, b));
      }
#pragma omp critical(dtmin)
    dt = std::min(dt, mine);
  }
  return dt;
}

// Reflecting walls in y: two cells per row.
void Block::boundaryY() {
  for (int v = 0; v < NVAR; ++v) {
    const double sgn = v == MY ? -1.0 : 1.0;
    for (int g = 0; g < 2; ++g)
      for (int i = -2; i < ni_ + 2; ++i) {
        u_[v](i, -1 - g) = sgn * u_[v](i, g);
        u_[v](i, nj_ + g) = sgn * u_[v](i, nj_ - 1 - g);
      }
  }
}

void Block::boundaryX() {
  const Comm &c = Comm::world();
  for (int v = 0; v < NVAR; ++v) {
    const double sgn = v == MX ? -1.0 : 1.0;
    for (int g = 0; g < 2; ++g) {
      if (c.rank() == 0)
        for (int j = -2; j < nj_ + 2; ++j) u_[v](-1 - g, j) = sgn * u_[v](g, j);
      if (c.rank() == c.size() - 1)
        for (int j = -2; j < nj_ + 2; ++j)
          u_[v](ni_ + g, j) = sgn * u_[v](ni_ - 1 - g, j);
    }
  }
}

void Block::ghosts() {
  std::vector<Field<double> *> f;
  for (int v = 0; v < NVAR; ++v) f.push_back(&u_[v]);
  boundaryY();
  Comm::world().fillGhosts(f);
  boundaryX();
}

void Block::gravity(double dt, double g) {
  Field<double> &my = u_[MY], &en = u_[EN];
  const Field<double> &r = u_[RHO];
  for (int i = 0; i < ni_; ++i)
    for (int j = 0; j < nj_; ++j) {
      const double dm = -dt * g * r(i, j);
      en(i, j) += dm * my(i, j) / r(i, j);
      my(i, j) += dm;
    }
}

// Smoothed pressure for the shock switch.
void Block::smoothPressure() {
  Comm &c = Comm::world();
  c.startGhosts(p_);
  const Field<double> &p = p_;
  Field<double> &w = work_;
  // inner part while the layers travel
#pragma omp parallel for
  for (int i = 1; i < ni_ - 1; ++i)
    for (int j = 0; j < nj_; ++j)
      w(i, j) = 0.5 * p(i, j) +
                0.125 * (p(i - 1, j) + p(i + 1, j) + p(i, j - 1) + p(i, j + 1));
  c.finishGhosts(p_);
  const int edge[2] = {0, ni_ - 1};
  for (int k = 0; k < 2; ++k) {
    const int i = edge[k];
    for (int j = 0; j < nj_; ++j)
      w(i, j) = 0.5 * p(i, j) +
                0.125 * (p(i - 1, j) + p(i + 1, j) + p(i, j - 1) + p(i, j + 1));
  }
  forEach([&](int i, int j) {
    shock_(i, j) = std::fabs(w(i, j) - p(i, j)) > 0.05 * p(i, j) ? 1 : 0;
  });
}

void Block::moveTracers(double dt) {
  const int nt = static_cast<int>(tracers_.size());
#pragma omp parallel for schedule(dynamic)
  for (int k = 0; k < nt; ++k) {
    Tracer &t = tracers_[k];
    int i = static_cast<int>(t.x / dx_) - i0_, j = static_cast<int>(t.y / dy_);
    i = std::min(std::max(i, 0), ni_ - 1);
    j = std::min(std::max(j, 0), nj_ - 1);
    t.u = vx_(i, j);
    t.v = vy_(i, j);
    t.x += dt * t.u;
    t.y += dt * t.v;
    t.rho = u_[RHO](i, j);
    t.p = p_(i, j);
    t.T = t.p / t.rho;
  }
}

double Block::tracerMeanX() const {
  double s = 0.0;
#pragma omp parallel for reduction(+ : s)
  for (size_t k = 0; k < tracers_.size(); ++k) s += tracers_[k].x;
  return tracers_.empty() ? 0.0 : s / tracers_.size();
}

}  // namespace hyd
