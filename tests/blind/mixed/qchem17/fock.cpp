#include "basis.hpp"
#include <cmath>
#include <algorithm>
#include <omp.h>

namespace qc {

void fock(const Tensor<double, 4>& g, const Matrix<double>& h, const Matrix<double>& d, Matrix<double>& f) {
  const auto n = d.rows();
#pragma omp parallel for collapse(2)
  for (index i = 0; i < n; ++i)
    for (index j = 0; j < n; ++j) {
      double s = h(i, j);
      for (index k = 0; k < n; ++k)
        for (index l = 0; l < n; ++l)
          s += d(k, l) * g(i, j, k, l);
      f(i, j) = s;
    }
#pragma omp parallel for
  for (index i = 0; i < n; ++i)
    for (index j = 0; j < n; ++j) {
      double s = 0;
      for (auto l : range(n))
        for (auto k : range(n))
          s += d(k, l) * g(i, k, j, l);
      f(i, j) -= 0.5 * s;
    }
}

void exchange_scatter(const Tensor<double, 4>& g, const Matrix<double>& d, Matrix<double>& k, double cut) {
  const auto n = d.rows();
#pragma omp parallel for schedule(dynamic)
  for (index i = 0; i < n; ++i)
    for (index j = 0; j < n; ++j)
      for (index l = 0; l < n; ++l) {
        const double x = d(j, l) * g(i, j, l, (i + l) % n);
        if (std::fabs(x) < cut) continue;
#pragma omp critical
        k(j, l) += x;
      }
}

void density(const Matrix<double>& c, index nocc, Matrix<double>& d) {
  const auto n = c.rows();
#pragma omp parallel for
  for (index i = 0; i < n; ++i)
    for (index j = 0; j < n; ++j) {
      double s = 0;
      for (index o = 0; o < nocc; ++o) s += c(i, o) * c(j, o);
      d(i, j) = 2 * s;
    }
}

double energy(const Matrix<double>& h, const Matrix<double>& f, const Matrix<double>& d) {
  double e = 0;
  const auto n = d.rows();
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for nowait
    for (index i = 0; i < n; ++i)
      for (index j = 0; j < n; ++j) mine += 0.5 * d(i, j) * (h(i, j) + f(i, j));
#pragma omp critical
    e += mine;
  }
  return e;
}

// Gram-Schmidt on the columns, S as metric
void orthogonalise(Matrix<double>& c, const Matrix<double>& s) {
  const auto n = c.rows();
  std::vector<double> sc(n);
  for (index o = 0; o < c.cols(); ++o) {
#pragma omp parallel
    {
#pragma omp for
      for (index i = 0; i < n; ++i) {
        double x = 0;
        for (index j = 0; j < n; ++j) x += s(i, j) * c(j, o);
        sc[i] = x;
      }
    }
    for (index p = 0; p < o; ++p) {
      double x = 0;
      for (index i = 0; i < n; ++i) x += c(i, p) * sc[i];
#pragma omp parallel for
      for (index i = 0; i < n; ++i) c(i, o) -= x * c(i, p);
    }
    double nrm = 0;
    for (index i = 0; i < n; ++i) nrm += c(i, o) * c(i, o);
    nrm = 1 / std::sqrt(nrm + 1e-30);
    for (index i = 0; i < n; ++i) c(i, o) *= nrm;
  }
}

double populations(const std::vector<std::vector<double>>& d, const Matrix<double>& s, std::vector<double>& pop) {
  const auto n = s.rows();
  double tot = 0;
#pragma omp parallel
  {
#pragma omp for
    for (index i = 0; i < n; ++i) pop[i] = 0;
#pragma omp single
    {
      for (index j = 0; j < n; ++j)
        for (index i = 0; i < n; ++i)
          pop[i] += d[i][j] * s(i, j);
    }
#pragma omp for reduction(+ : tot)
    for (index i = 0; i < n; ++i) tot += pop[i];
  }
  return tot;
}

} // namespace qc
