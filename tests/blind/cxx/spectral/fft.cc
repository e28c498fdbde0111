#include "fft.h"
#include <algorithm>
#include <cmath>

Fft::Fft(int n) : n_(n), log_(0), rev_(n), tw_(n / 2) {
  while ((1 << log_) < n) ++log_;
  for (int i = 0; i < n; ++i) {
    int r = 0;
    for (int b = 0; b < log_; ++b)
      if (i & (1 << b)) r |= 1 << (log_ - 1 - b);
    rev_[i] = r;
  }
  for (int k = 0; k < n / 2; ++k)
    tw_[k] = std::polar(1.0, -2.0 * M_PI * k / n);
}

void Fft::line(cplx *x, int sign) const {
  for (int i = 0; i < n_; ++i)
    if (rev_[i] > i) std::swap(x[i], x[rev_[i]]);
  for (int h = 1, st = n_ / 2; h < n_; h *= 2, st /= 2)
    for (int b = 0; b < n_; b += 2 * h)
      for (int k = 0; k < h; ++k) {
        cplx t = tw_[k * st];
        if (sign > 0) t = std::conj(t);
        const cplx u = x[b + k], v = x[b + k + h] * t;
        x[b + k] = u + v;
        x[b + k + h] = u - v;
      }
}

void Fft::strided(cplx *x, int s, int sign) const {
  for (int i = 0; i < n_; ++i)
    if (rev_[i] > i) std::swap(x[(size_t)i * s], x[(size_t)rev_[i] * s]);
  for (int h = 1, st = n_ / 2; h < n_; h *= 2, st /= 2)
    for (int b = 0; b < n_; b += 2 * h)
      for (int k = 0; k < h; ++k) {
        cplx t = tw_[k * st];
        if (sign > 0) t = std::conj(t);
        cplx &p = x[(size_t)(b + k) * s], &q = x[(size_t)(b + k + h) * s];
        const cplx u = p, v = q * t;
        p = u + v;
        q = u - v;
      }
}

void Fft::rows(Array2<cplx> &a, int sign) const {
#pragma omp parallel for schedule(dynamic, 4)
  for (int i = 0; i < a.n1(); ++i) line(a[i], sign);
}

// used on one-rank runs and for the restart file
void Fft::columns(Array2<cplx> &a, int sign) const {
#pragma omp parallel for schedule(static, 1)
  for (int j = 0; j < a.n2(); ++j) strided(&a(0, j), a.ld(), sign);
}

// b = transposed a
void Fft::tile(const Array2<cplx> &a, Array2<cplx> &b) const {
  const int T = 16, n = a.n1(), m = a.n2();
#pragma omp parallel for schedule(static)
  for (int jj = 0; jj < m; jj += T)
    for (int ii = 0; ii < n; ii += T)
      for (int j = jj; j < std::min(jj + T, m); ++j)
        for (int i = ii; i < std::min(ii + T, n); ++i) b(j, i) = a(i, j);
}
