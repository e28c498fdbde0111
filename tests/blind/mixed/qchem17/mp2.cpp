#include "basis.hpp"
#include <cmath>
#include <algorithm>
#include <omp.h>

namespace qc {

namespace {

// t(p,j,k,l) = sum_i c(i,p) g(i,j,k,l)
void first_quarter(const Tensor<double, 4>& g, const Matrix<double>& c, Tensor<double, 4>& t) {
  const auto n = c.rows();
  const auto m = n * n * n;
#pragma omp parallel for
  for (index p = 0; p < n; ++p) {
    double* out = t.data() + p * m;
    for (index x = 0; x < m; ++x) out[x] = 0;
    for (index i = 0; i < n; ++i) {
      const double w = c(i, p);
      const double* in = g.data() + i * m;
      for (index x = 0; x < m; ++x) out[x] += w * in[x];
    }
  }
}

// u(p,q,k,l) = sum_j c(j,q) t(p,j,k,l)
void second_quarter(const Tensor<double, 4>& t, const Matrix<double>& c, Tensor<double, 4>& u) {
  const auto n = c.rows();
  const auto m = n * n;
#pragma omp parallel for collapse(2)
  for (index p = 0; p < n; ++p)
    for (index q = 0; q < n; ++q) {
      double* out = &u(p, q, 0, 0);
      std::fill(out, out + m, 0.0);
      for (index j = 0; j < n; ++j) {
        const double w = c(j, q);
        const double* in = &t(p, j, 0, 0);
        for (index x = 0; x < m; ++x) out[x] += w * in[x];
      }
    }
}

// swap the pair indices: w(k,l,p,q) = u(p,q,k,l)
void transpose_pairs(const Tensor<double, 4>& u, Tensor<double, 4>& w) {
  const auto n = u.extent(0);
  const auto m = n * n;
  const double* a = u.data();
  double* b = w.data();
#pragma omp parallel for
  for (index r = 0; r < m; ++r)
    for (index s = 0; s < m; ++s)
      b[r * m + s] = a[s * m + r];
}

void transpose_tiled(const Matrix<double>& a, Matrix<double>& b) {
  constexpr index T = 16;
  for (index i0 = 0; i0 < a.rows(); i0 += T)
    for (index j0 = 0; j0 < a.cols(); j0 += T)
      for (index i = i0; i < std::min(i0 + T, a.rows()); ++i)
        for (index j = j0; j < std::min(j0 + T, a.cols()); ++j) b(j, i) = a(i, j);
}

} // namespace

double mp2(const Tensor<double, 4>& g, const Matrix<double>& c, const std::vector<double>& e, index nocc) {
  const auto n = c.rows();
  Tensor<double, 4> t({n, n, n, n}), u({n, n, n, n});
  std::vector<double> amp(n * n * n * n);
  t.zero();
  u.zero();
  Matrix<double> ct(c.cols(), c.rows());
  transpose_tiled(c, ct);
  first_quarter(g, c, t);
  second_quarter(t, c, u);
  transpose_pairs(u, t);
  first_quarter(t, c, u);
  second_quarter(u, c, t);
  transpose_pairs(t, u);
  double e2 = 0;
#pragma omp parallel
  {
    for (index i = 0; i < nocc; ++i) {
#pragma omp for collapse(2)
      for (index a = nocc; a < n; ++a)
        for (index j = 0; j < nocc; ++j)
          for (index b = nocc; b < n; ++b)
            amp[((i * n + a) * n + j) * n + b] = u(i, a, j, b) * (2 * u(i, a, j, b) - u(i, b, j, a)) / (e[i] + e[j] - e[a] - e[b] - 1e-3);
    }
#pragma omp barrier
#pragma omp for reduction(+ : e2)
    for (index x = 0; x < static_cast<index>(amp.size()); ++x) e2 += amp[x];
  }
  return e2;
}

// density on a grid of points, basis functions tabulated point by point
double grid_density(const Basis& b, const Matrix<double>& d, index npts) {
  const auto n = b.size();
  Matrix<double> phi(n, npts);
  std::vector<double> rho(npts);
#pragma omp parallel for
  for (index p = 0; p < npts; ++p)
    for (index i = 0; i < n; ++i) {
      const auto& s = b.shell(i);
      const double x = s.r[0] - 0.01 * (p % 100), y = s.r[1] - 0.01 * (p / 100);
      phi(i, p) = std::exp(-s.exps[0] * (x * x + y * y));
    }
  for (index i = 0; i < n; ++i) {
    const double* pi = phi.row(i);
    for (index j = 0; j < n; ++j) {
      const double* pj = phi.row(j);
      const double w = d(i, j);
      for (index p = 0; p < npts; ++p) rho[p] += w * pi[p] * pj[p];
    }
  }
  double q = 0;
#pragma omp parallel for reduction(+ : q)
  for (index p = 0; p < npts; ++p) q += rho[p];
  return q;
}

} // namespace qc
