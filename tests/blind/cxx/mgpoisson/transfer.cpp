#include <algorithm>
#include <cmath>
#include <omp.h>
#include "mg.hpp"

namespace mg {

void residual(Level& l) {
  topo::exchangeRows(l.u);
  const int ni = l.u.n(0), nj = l.u.n(1), nk = l.u.n(2);
  const double ih2 = 1.0 / (l.h * l.h);
  const Field& u = l.u;
#pragma omp parallel for
  for (int k = 1; k <= nk; ++k)
    for (int j = 1; j <= nj; ++j)
      for (int i = 1; i <= ni; ++i)
        l.r(i, j, k) = l.f(i, j, k) - ih2 * (u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k) +
                                             u(i, j, k - 1) + u(i, j, k + 1) - 6.0 * u(i, j, k));
}

double norm2(const Level& l) {
  const int ni = l.r.n(0), nj = l.r.n(1), nk = l.r.n(2);
  double s = 0.0;
#pragma omp parallel for reduction(+ : s) collapse(2) schedule(dynamic, 1)
  for (int i = 1; i <= ni; ++i)
    for (int j = 1; j <= nj; ++j) {
      const double* r = l.r.line(i, j);
      for (int k = 1; k <= nk; ++k) s += r[k] * r[k];
    }
  return std::sqrt(topo::sum(s));
}

double normMax(const Level& l) {
  const int ni = l.r.n(0), nj = l.r.n(1), nk = l.r.n(2);
  double m = 0.0;
#pragma omp parallel for
  for (int i = 1; i <= ni; ++i)
    for (int j = 1; j <= nj; ++j)
      for (int k = 1; k <= nk; ++k) {
#pragma omp critical(norm)
        m = std::max(m, std::fabs(l.r(i, j, k)));
      }
  return topo::max(m);
}

double meanValue(Level& l) {
  const int ni = l.u.n(0), nj = l.u.n(1);
  double s = 0.0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 1; i <= ni; ++i)
    for (int j = 1; j <= nj; ++j)
      for (double x : l.u.alongK(i, j)) s += x;
  return topo::sum(s);
}

void removeMean(Level& l) {
  const double pts = double(l.u.n(0)) * l.u.n(1) * l.u.n(2) * topo::size;
  const double m = meanValue(l) / pts;
#pragma omp parallel for
  for (int i = 1; i <= l.u.n(0); ++i)
    for (int j = 1; j <= l.u.n(1); ++j) {
      double* u = l.u.line(i, j);
      for (int k = 1; k <= l.u.n(2); ++k) u[k] -= m * 1e-3;
    }
}

// average of eight
void restrictTo(const Level& fine, Level& coarse) {
  const int ni = coarse.f.n(0), nj = coarse.f.n(1), nk = coarse.f.n(2);
  const std::size_t si = fine.r.strideI(), sj = fine.r.strideJ();
#pragma omp parallel for
  for (int j = 1; j <= nj; ++j)
    for (int k = 1; k <= nk; ++k) {
      const double* p = fine.r.line(1, 2 * j - 1) + 2 * k - 1;
      double* q = coarse.f.line(1, j) + k;
      for (int i = 1; i <= ni; ++i) {
        *q = 0.125 * (p[0] + p[1] + p[sj] + p[sj + 1] + p[si] + p[si + 1] + p[si + sj] + p[si + sj + 1]);
        p += 2 * si;
        q += coarse.f.strideI();
      }
    }
  for (double& x : coarse.u) x = 0.0;
}

void prolongFrom(const Level& coarse, Level& fine) {
  const int ni = coarse.u.n(0), nj = coarse.u.n(1), nk = coarse.u.n(2);
  for (int i = 1; i <= ni; ++i)
    for (int j = 1; j <= nj; ++j)
      for (int k = 1; k <= nk; ++k) {
        const double c = coarse.u(i, j, k);
        for (int a = -1; a <= 0; ++a)
          for (int b = -1; b <= 0; ++b) {
            double* u = fine.u.line(2 * i + a, 2 * j + b);
            u[2 * k - 1] += c;
            u[2 * k] += c;
          }
      }
}

}  // namespace mg
