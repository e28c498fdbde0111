#pragma once
#include <omp.h>
#include <cmath>
#include <complex>
#include <vector>
#include "field.hpp"
namespace tok {
using cplx = std::complex<double>;
constexpr int kSpecPitch = 512;  // complex entries per ky row

/// Laplacian inversion per plane: Fourier in y, tridiagonal in x.
class PoissonFFT {
 public:
  PoissonFFT(const Grid& g, int threads);
  void solve(const Field& rhs, Field& phi);
  const std::vector<double>& power() const { return power_; }
  void resetPower();
 private:
  struct Work {
    std::vector<cplx> spec, line;
    std::vector<double> power;
  };
  void fft(cplx* a, int sign) const;
  void solvePlane(Work& w, PlaneView<const real> rhs, PlaneView<real> phi) const;
  Grid g_;
  std::vector<int> bitrev_;
  std::vector<cplx> twiddle_;
  std::vector<double> cprime_, denom_;
  std::vector<Work> work_;
  std::vector<double> power_;
};

inline PoissonFFT::PoissonFFT(const Grid& g, int threads) : g_(g), work_(threads) {
  const int n = g.ny;
  int bits = 0;
  while ((1 << bits) < n) ++bits;
  bitrev_.resize(n);
  for (int i = 0; i < n; ++i) {
    int r = 0;
    for (int b = 0; b < bits; ++b)
      if (i & (1 << b)) r |= 1 << (bits - 1 - b);
    bitrev_[i] = r;
  }
  twiddle_.resize(n / 2);
  for (int i = 0; i < n / 2; ++i) twiddle_[i] = std::polar(1.0, -2.0 * M_PI * i / n);
  cprime_.resize(static_cast<std::size_t>(n) * g.nx);
  denom_.resize(static_cast<std::size_t>(n) * g.nx);
  const double a = 1.0 / (g.dx() * g.dx());
  for (int m = 0; m < n; ++m) {
    const double ky = 2.0 * std::sin(M_PI * m / n) / g.dy();
    double c = 0.0;
    for (int ix = 0; ix < g.nx; ++ix) {
      const double den = -2.0 * a - ky * ky - a * c;
      c = a / den;
      cprime_[static_cast<std::size_t>(m) * g.nx + ix] = c;
      denom_[static_cast<std::size_t>(m) * g.nx + ix] = 1.0 / den;
    }
  }
  power_.assign(n, 0.0);
#pragma omp parallel num_threads(threads)
  {
    Work& w = work_[omp_get_thread_num()];
    w.spec.assign(static_cast<std::size_t>(n) * kSpecPitch, cplx(0.0));
    w.line.resize(n);
    w.power.assign(n, 0.0);
  }
}

inline void PoissonFFT::fft(cplx* a, int sign) const {
  const int n = g_.ny;
  for (int i = 0; i < n; ++i)
    if (bitrev_[i] > i) std::swap(a[i], a[bitrev_[i]]);
  for (int len = 2; len <= n; len <<= 1) {
    const int half = len / 2, step = n / len;
    for (int s = 0; s < n; s += len)
      for (int k = 0; k < half; ++k) {
        const cplx t = twiddle_[k * step];
        const cplx w = sign < 0 ? t : std::conj(t);
        const cplx u = a[s + k], v = a[s + k + half] * w;
        a[s + k] = u + v;
        a[s + k + half] = u - v;
      }
  }
}

inline void PoissonFFT::solvePlane(Work& w, PlaneView<const real> rhs, PlaneView<real> phi) const {
  const int nx = g_.nx, ny = g_.ny;
  const double a = 1.0 / (g_.dx() * g_.dx());
  cplx* spec = w.spec.data();
  for (int iy = 0; iy < ny; ++iy)
    for (int ix = 0; ix < nx; ++ix) spec[iy * kSpecPitch + ix] = rhs(ix + 1, iy + 1);
  for (int ix = 0; ix < nx; ++ix) {
    for (int iy = 0; iy < ny; ++iy) w.line[iy] = spec[iy * kSpecPitch + ix];
    fft(w.line.data(), -1);
    for (int iy = 0; iy < ny; ++iy) spec[iy * kSpecPitch + ix] = w.line[iy];
  }
  for (int m = 0; m < ny; ++m) {
    cplx* s = spec + m * kSpecPitch;
    const double* cp = cprime_.data() + static_cast<std::size_t>(m) * nx;
    const double* dn = denom_.data() + static_cast<std::size_t>(m) * nx;
    s[0] *= dn[0];
    for (int ix = 1; ix < nx; ++ix) s[ix] = (s[ix] - a * s[ix - 1]) * dn[ix];
    for (int ix = nx - 2; ix >= 0; --ix) s[ix] -= cp[ix] * s[ix + 1];
  }
  for (int ix = 0; ix < nx; ++ix)
    for (int m = 0; m < ny; ++m) w.power[m] += std::norm(spec[m * kSpecPitch + ix]);
  const double scale = 1.0 / ny;
  for (int ix = 0; ix < nx; ++ix) {
    for (int iy = 0; iy < ny; ++iy) w.line[iy] = spec[iy * kSpecPitch + ix];
    fft(w.line.data(), +1);
    for (int iy = 0; iy < ny; ++iy) spec[iy * kSpecPitch + ix] = w.line[iy] * scale;
  }
  for (int iy = 0; iy < ny; ++iy)
    for (int ix = 0; ix < nx; ++ix) phi(ix + 1, iy + 1) = spec[iy * kSpecPitch + ix].real();
}

inline void PoissonFFT::solve(const Field& rhs, Field& phi) {
#pragma omp parallel for schedule(static)
  for (int iz = 1; iz <= g_.nzLocal; ++iz)
    solvePlane(work_[omp_get_thread_num()], rhs.view(iz), phi.view(iz));
  phi.fillDirichletX(0.0, 0.0);
  phi.fillPeriodicY();
}

inline void PoissonFFT::resetPower() {
  for (auto& p : power_) p = 0.0;
  for (auto& w : work_)
    for (std::size_t m = 0; m < w.power.size(); ++m) {
      power_[m] += w.power[m];
      w.power[m] = 0.0;
    }
}
}  // namespace tok
