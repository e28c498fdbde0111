#include "basis.hpp"
#include <cmath>
#include <omp.h>

namespace qc {

namespace {
double dist2(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  double s = 0;
  for (int k = 0; k < 3; ++k) s += (a[k] - b[k]) * (a[k] - b[k]);
  return s;
}
} // namespace

Basis::Basis(index n) {
  for (auto i : range(n)) {
    Shell s;
    s.r = {0.7 * (i % 4), 0.7 * ((i / 4) % 4), 0.7 * (i / 16)};
    s.exps.fill(0.5 + 0.05 * (i % 7));
    s.coef.fill(0.4);
    s.width = 1.0 / s.exps[0];
    s.label = "s" + std::to_string(i);
    shells_.push_back(s);
  }
  for (auto i : range(n))
    for (auto j : range(i + 1)) {
      ShellPair p{};
      p.i = static_cast<short>(i);
      p.j = static_cast<int>(j);
      p.dist2 = dist2(shells_[i].r, shells_[j].r);
      p.bound = std::exp(-0.2 * p.dist2);
      p.significant = p.bound > 1e-8;
      p.same = i == j;
      p.k = 1;
      pairs_.push_back(p);
    }
  for (auto i : range(6)) atoms_.push_back({{0.7 * i, 0.1 * i, 0.0}, 1.0 + i, "X"});
}

index Basis::near(double cut) const {
  index n = 0;
#pragma omp parallel for reduction(+ : n) schedule(dynamic, 16)
  for (index i = 0; i < size(); ++i)
    for (index j = 0; j < i; ++j)
      if (dist2(shells_[i].r, shells_[j].r) < cut * shells_[i].width * shells_[j].width) ++n;
  return n;
}

void overlap(const Basis& b, Matrix<double>& s) {
  const auto n = b.size();
#pragma omp parallel for schedule(static)
  for (index i = 0; i < n; ++i)
    for (index j = 0; j <= i; ++j) {
      double v = 0;
      for (int p = 0; p < 6; ++p)
        for (int q = 0; q < 6; ++q) {
          const auto &A = b.shell(i), &B = b.shell(j);
          const double z = A.exps[p] + B.exps[q];
          v += A.coef[p] * B.coef[q] * std::exp(-A.exps[p] * B.exps[q] / z * dist2(A.r, B.r)) * std::pow(M_PI / z, 1.5);
        }
      s(i, j) = v;
      s(j, i) = v;
    }
}

void kinetic(const Basis& b, Matrix<double>& t) {
  const auto n = b.size();
  double z = 0, d = 0;
  parallel_for(n, [&](index i) {
    for (index j = 0; j < n; ++j) {
      z = b.shell(i).exps[0] * b.shell(j).exps[0] / (b.shell(i).exps[0] + b.shell(j).exps[0]);
      d = dist2(b.shell(i).r, b.shell(j).r);
      t(i, j) = z * (3 - 2 * z * d) * std::exp(-z * d);
    }
  });
}

void potential(const Basis& b, Matrix<double>& v) {
  const auto n = b.size();
  parallel_for(n, [&](index i) {
    for (index j = 0; j < n; ++j) {
      double s = 0;
      for (const auto& [r, z, name] : b.atoms()) s -= z / (1.0 + dist2(r, b.shell(i).r) + dist2(r, b.shell(j).r));
      v(i, j) = s;
    }
  });
}

void repulsion(const Basis& b, Tensor<double, 4>& g, Stats& st) {
  const auto n = b.size();
  const auto& pr = b.pairs();
  std::vector<Counter> cnt(omp_get_max_threads());
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp for schedule(dynamic)
    for (index ij = 0; ij < static_cast<index>(pr.size()); ++ij) {
      const auto& p = pr[ij];
      if (!p.significant) continue;
      for (index k = 0; k < n; ++k)
        for (index l = 0; l <= k; ++l) {
          const double x = p.bound * pr[k * (k + 1) / 2 + l].bound / (1 + dist2(b.shell(p.i).r, b.shell(k).r));
          g(p.i, p.j, k, l) = g(p.i, p.j, l, k) = x;
          g(p.j, p.i, k, l) = g(p.j, p.i, l, k) = x;
          ++st.quartets[me];
          cnt[me].done += 1;
        }
    }
  }
}

void schwarz(const Basis& b, Matrix<double>& q) {
  const auto n = b.size();
  for (auto j : range(n))
    for (auto i : range(n))
      q(i, j) = std::exp(-0.1 * dist2(b.shell(i).r, b.shell(j).r));
}

} // namespace qc
