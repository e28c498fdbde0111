#include <algorithm>
#include <vector>
#include "mg.hpp"

namespace mg {

void Jacobi::sweep(Level& l) {
  MPI_Request rq[4];
  const int ni = l.u.n(0), nj = l.u.n(1), nk = l.u.n(2);
  const double h2 = l.h * l.h, om = 0.8 / 6.0;
  const Field& u = l.u;
  auto plane = [&](int i) {
    for (int j = 1; j <= nj; ++j) {
      const double* c = u.line(i, j);
      const double *w = u.line(i - 1, j), *e = u.line(i + 1, j);
      const double *s = u.line(i, j - 1), *n = u.line(i, j + 1);
      const double* f = l.f.line(i, j);
      double* t = l.t.line(i, j);
      for (int k = 1; k <= nk; ++k)
        t[k] = c[k] + om * (w[k] + e[k] + s[k] + n[k] + c[k - 1] + c[k + 1] - 6.0 * c[k] - h2 * f[k]);
    }
  };
  topo::start(l.u, rq);
#pragma omp parallel for schedule(static)
  for (int i = 2; i < ni; ++i) plane(i);
  topo::finish(rq);
  plane(1);
  if (ni > 1) plane(ni);
  std::swap(l.u, l.t);
}

void RedBlack::sweep(Level& l) {
  const int ni = l.u.n(0), nj = l.u.n(1), nk = l.u.n(2);
  const double h2 = l.h * l.h;
  Field& u = l.u;
  for (int colour = 0; colour < 2; ++colour) {
    topo::exchange(u);
    for (int i = 1; i <= ni; ++i) {
#pragma omp parallel for schedule(static)
      for (int j = 1; j <= nj; ++j)
        for (int k = 1 + (i + j + colour) % 2; k <= nk; k += 2)
          u(i, j, k) = (u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k) + u(i, j, k - 1) +
                        u(i, j, k + 1) - h2 * l.f(i, j, k)) / 6.0;
    }
  }
}

void GaussSeidel::sweep(Level& l) {
  const int ni = l.u.n(0), nj = l.u.n(1), nk = l.u.n(2);
  const double h2 = l.h * l.h;
  Field& u = l.u;
  topo::exchange(u);
#pragma omp parallel for collapse(2)
  for (int i = 1; i <= ni; ++i)
    for (int j = 1; j <= nj; ++j)
      for (int k = 1; k <= nk; ++k)
        u(i, j, k) = (u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) + u(i, j + 1, k) + u(i, j, k - 1) +
                      u(i, j, k + 1) - h2 * l.f(i, j, k)) / 6.0;
}

// tridiagonal systems along the fast direction
void LineZ::sweep(Level& l) {
  const int ni = l.u.n(0), nj = l.u.n(1), nk = l.u.n(2);
  const double h2 = l.h * l.h;
  topo::exchange(l.u);
#pragma omp parallel
  {
    std::vector<double> c(nk + 2), d(nk + 2);
    for (int odd = 0; odd < 2; ++odd) {
#pragma omp for schedule(static)
      for (int i = 1 + odd; i <= ni; i += 2)
        for (int j = 1; j <= nj; ++j) {
          double* u = l.u.line(i, j);
          c[0] = 0.0;
          d[0] = 0.0;
          for (int k = 1; k <= nk; ++k) {
            const double rhs = l.u(i - 1, j, k) + l.u(i + 1, j, k) + l.u(i, j - 1, k) + l.u(i, j + 1, k) -
                               h2 * l.f(i, j, k);
            const double m = 1.0 / (6.0 - c[k - 1]);
            c[k] = m;
            d[k] = (rhs + d[k - 1]) * m;
          }
          for (int k = nk; k >= 1; --k) u[k] = d[k] + c[k] * (k < nk ? u[k + 1] : 0.0);
        }
    }
  }
}

// tridiagonal systems along i, within the slab
void LineX::sweep(Level& l) {
  const int ni = l.u.n(0), nj = l.u.n(1), nk = l.u.n(2);
  const double h2 = l.h * l.h;
  topo::exchange(l.u);
#pragma omp parallel
  {
    std::vector<double> c(ni + 2), d(ni + 2);
#pragma omp for schedule(static)
    for (int k = 1; k <= nk; ++k)
      for (int j = 1; j <= nj; ++j) {
        c[0] = 0.0;
        d[0] = l.u(0, j, k);
        for (int i = 1; i <= ni; ++i) {
          const double rhs = l.u(i, j, k) * 2.0 - h2 * l.f(i, j, k);
          const double m = 1.0 / (4.0 - c[i - 1]);
          c[i] = m;
          d[i] = (rhs + d[i - 1]) * m;
        }
        for (int i = ni - 1; i >= 1; --i) d[i] += c[i] * d[i + 1];
        int i = 0;
        for (double& x : l.u.alongI(j, k)) {
          x = 0.5 * x + 0.5 * d[++i];
        }
      }
  }
}

}  // namespace mg
