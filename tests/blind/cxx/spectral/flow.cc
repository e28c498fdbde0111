#include "flow.h"
#include <omp.h>
#include <algorithm>
#include <cmath>
#include <cstdio>

Flow::Flow(int n, real nu)
    : n_(n), nl_(n / Par::instance()->np), off_(nl_ * Par::instance()->me), nu_(nu), fft_(n), tr_(n),
      filter_(n), w_(nl_, n), uh_(nl_, n), vh_(nl_, n), gxh_(nl_, n), gyh_(nl_, n), nh_(nl_, n),
      rhs_(nl_, n), tmp_(nl_, n, 4),
      u_(nl_, n), v_(nl_, n), gx_(nl_, n), gy_(nl_, n), prod_(nl_, n), decay_(nl_, n), table_(n, nl_) {}

void Flow::init() {
  for (int i = 0; i < nl_; ++i)
    for (int j = 0; j < n_; ++j) {
      const real k2 = waveLocal(i) * waveLocal(i) + wave(j) * wave(j);
      const real ph = 2.0 * M_PI * std::fmod(0.6180339 * ((i + off_) * 37.0 + j * 11.0), 1.0);
      w_(i, j) = k2 > 0 && k2 < 64 ? std::polar(k2 * std::exp(-k2 / 16.0), ph) : cplx(0, 0);
    }
  for (int j = 0; j < n_; ++j)
    for (int i = 0; i < nl_; ++i) {
      const real k2 = waveLocal(i) * waveLocal(i) + wave(j) * wave(j);
      decay_(i, j) = std::exp(-nu_ * k2 * 1e-3);
      table_(j, i) = k2 > 0 ? 1.0 / k2 : 0.0;
    }
}

// spectral to physical: transform along ky, swap, transform along kx
void Flow::backward(const Array2<cplx> &hat, Array2<cplx> &phys) {
#pragma omp parallel for
  for (int i = 0; i < nl_; ++i)
    std::copy(hat[i], hat[i] + n_, tmp_[i]);
  fft_.rows(tmp_, +1);
  tr_.rows2cols(tmp_, phys);
  fft_.rows(phys, +1);
}

void Flow::forward(Array2<cplx> &phys, Array2<cplx> &hat) {
  fft_.rows(phys, -1);
  tr_.cols2rows(phys, hat);
  fft_.rows(hat, -1);
  const real s = 1.0 / ((real)n_ * n_);
#pragma omp parallel for
  for (int i = 0; i < nl_; ++i)
    for (int j = 0; j < n_; ++j) hat(i, j) *= s;
}

void Flow::velocity() {
#pragma omp parallel for
  for (int i = 0; i < nl_; ++i)
    for (int j = 0; j < n_; ++j) {
      const cplx psi = w_(i, j) * table_(j, i);
      uh_(i, j) = cplx(0, 1) * wave(j) * psi;
      vh_(i, j) = -cplx(0, 1) * waveLocal(i) * psi;
    }
  backward(uh_, u_);
  backward(vh_, v_);
}

void Flow::gradient() {
#pragma omp parallel for
  for (int i = 0; i < nl_; ++i)
    for (int j = 0; j < n_; ++j) {
      gxh_(i, j) = cplx(0, 1) * waveLocal(i) * w_(i, j);
      gyh_(i, j) = cplx(0, 1) * wave(j) * w_(i, j);
    }
  backward(gxh_, gx_);
  backward(gyh_, gy_);
}

void Flow::product() {
  cplx t;
#pragma omp parallel for
  for (int i = 0; i < nl_; ++i)
    for (int j = 0; j < n_; ++j) {
      t = u_(i, j) * gx_(i, j) + v_(i, j) * gy_(i, j);
      prod_(i, j) = -t;
    }
}

void Flow::dealias(const Filter &f, Array2<cplx> &h) {
#pragma omp parallel for
  for (int j = 0; j < n_; ++j)
    for (int i = 0; i < nl_; ++i)
      h(i, j) *= f.factor(waveLocal(i), wave(j));
}

void Flow::advance(real dt) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < nl_; ++i)
      for (int j = 0; j < n_; ++j) rhs_(i, j) = dt * nh_(i, j);
#pragma omp barrier
#pragma omp for nowait
    for (int i = 0; i < nl_; ++i)
      for (int j = 0; j < n_; ++j) w_(i, j) = (w_(i, j) + rhs_(i, j)) * decay_(i, j);
  }
}

void Flow::step(real dt) {
  velocity();
  gradient();
  product();
  forward(prod_, nh_);
  dealias(filter_, nh_);
  advance(dt);
}

real Flow::energy() {
  real s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < nl_; ++i)
    for (int j = 0; j < n_; ++j) {
      const real k2 = waveLocal(i) * waveLocal(i) + wave(j) * wave(j);
      if (k2 > 0) s += 0.5 * std::norm(w_(i, j)) / k2;
    }
  return Par::instance()->sum(s);
}

real Flow::enstrophy() {
  real s = 0;
  Transposed<cplx> wt(w_);
  for (int j = 0; j < n_; ++j)
    for (int i = 0; i < nl_; ++i)
      s += 0.5 * std::norm(wt(j, i));
  return Par::instance()->sum(s);
}

real Flow::cfl() {
  // needs the velocity of the present vorticity
  velocity();
  real m = 0;
#pragma omp parallel
  {
    real mine = 0;
#pragma omp for nowait
    for (int i = 0; i < nl_; ++i)
      for (int j = 0; j < n_; ++j)
        mine = std::max(mine, std::fabs(u_(i, j).real()) + std::fabs(v_(i, j).real()));
#pragma omp critical
    m = std::max(m, mine);
  }
  return Par::instance()->maxval(m);
}
