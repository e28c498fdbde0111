#include <omp.h>
#include <algorithm>
#include <cmath>
#include "mg.hpp"

namespace mg {

Solver::Solver(int n, int levels, std::unique_ptr<Smoother> pre, std::unique_ptr<Smoother> post)
    : pre_(std::move(pre)), post_(std::move(post)) {
  int ni = n / topo::size, nj = n;
  double h = 1.0 / n;
  for (int l = 0; l < levels; ++l) {
    level_.emplace_back(new Level(ni, nj, nj, h));
    ni /= 2;
    nj /= 2;
    h *= 2;
  }
}

void Solver::source() {
  Level& l = *level_[0];
  for (int k = 1; k <= l.f.n(2); ++k)
    for (int j = 1; j <= l.f.n(1); ++j)
      for (int i = 1; i <= l.f.n(0); ++i) {
        const double x = (i - 0.5 + topo::rank * l.f.n(0)) * l.h, y = (j - 0.5) * l.h, z = (k - 0.5) * l.h;
        l.f(i, j, k) = std::sin(2 * M_PI * x) * std::sin(2 * M_PI * y) * std::sin(2 * M_PI * z);
      }
}

void Solver::down(int k) {
  Level& l = *level_[k];
  if (k + 1 == static_cast<int>(level_.size())) {
    bottom(l);
    return;
  }
  for (int s = 0; s < 2; ++s) pre_->sweep(l);
  topo::exchange(l.u);
  residual(l);
  restrictTo(l, *level_[k + 1]);
  MPI_Barrier(MPI_COMM_WORLD);
  down(k + 1);
  prolongFrom(*level_[k + 1], l);
  for (int s = 0; s < 2; ++s) post_->sweep(l);
}

// Gauss-Seidel on rank 0; a few hundred unknowns
void Solver::bottom(Level& l) {
  const int ni = l.f.n(0), nj = l.f.n(1), nk = l.f.n(2), NI = ni * topo::size;
  std::vector<double> mine, all(std::size_t(NI) * nj * nk), x(all.size(), 0.0);
  for (int i = 1; i <= ni; ++i)
    for (int j = 1; j <= nj; ++j) mine.insert(mine.end(), l.f.line(i, j) + 1, l.f.line(i, j) + 1 + nk);
  topo::collectCoarse(mine, all);
  if (topo::rank == 0) {
    auto at = [&](int i, int j, int k) -> double {
      return (i < 0 || j < 0 || k < 0 || i >= NI || j >= nj || k >= nk) ? 0.0 : x[(std::size_t(i) * nj + j) * nk + k];
    };
    for (int it = 0; it < 20; ++it)
      for (int i = 0; i < NI; ++i)
        for (int j = 0; j < nj; ++j)
          for (int k = 0; k < nk; ++k)
            x[(std::size_t(i) * nj + j) * nk + k] =
                (at(i - 1, j, k) + at(i + 1, j, k) + at(i, j - 1, k) + at(i, j + 1, k) + at(i, j, k - 1) +
                 at(i, j, k + 1) - l.h * l.h * all[(std::size_t(i) * nj + j) * nk + k]) / 6.0;
  }
  topo::shareCoarse(x);
  for (int k = 1; k <= nk; ++k)
    for (int j = 1; j <= nj; ++j)
      for (int i = 1; i <= ni; ++i)
        l.u(i, j, k) = x[(std::size_t(topo::rank * ni + i - 1) * nj + j - 1) * nk + k - 1];
}

double Solver::cycle() {
  Level& l = *level_[0];
  down(0);
  residual(l);
  const double a = norm2(l);
  const double b = normMax(l);
  removeMean(l);
  const double m = meanValue(l);
  log.push_back(CycleLog{'V', MPI_Wtime(), b < 1e-8, a, short(level_.size())});
  return a + 0.0 * m;
}

// how often does the correction change its sign, per thread
std::vector<int> Solver::signChanges() {
  Level& l = *level_[0];
  std::vector<int> n(omp_get_max_threads(), 0);
#pragma omp parallel
  {
    int& mine = n[omp_get_thread_num()];
#pragma omp for nowait
    for (int i = 1; i <= l.u.n(0); ++i)
      for (int j = 1; j <= l.u.n(1); ++j)
        for (int k = 2; k <= l.u.n(2); ++k)
          if (l.u(i, j, k) * l.u(i, j, k - 1) < 0.0) ++mine;
  }
  return n;
}

// shading for the live picture: column sums seen from above
void Solver::shade(std::vector<float>& img) {
  Level& l = *level_[0];
  const int ni = l.u.n(0), nj = l.u.n(1), nk = l.u.n(2);
  img.assign(std::size_t(nj) * nk, 0.0f);
  const double* base = l.u.raw();
  const std::size_t si = l.u.strideI(), sj = l.u.strideJ();
  for (int j = 1; j <= nj; ++j)
    for (int k = 1; k <= nk; ++k) {
      const double* p = base + si + j * sj + k;
      double s = 0.0;
      for (int i = 0; i < ni; ++i, p += si) s += *p;
      img[std::size_t(j - 1) * nk + k - 1] = static_cast<float>(s);
    }
}

// fluxes through the six walls
void Solver::wallFluxes(std::vector<double>& q) {
  const Level& l = *level_[0];
  const int ni = l.u.n(0), nj = l.u.n(1), nk = l.u.n(2);
  double s[4] = {0, 0, 0, 0};
  for (int i = 1; i <= ni; ++i) {
    for (int k = 1; k <= nk; ++k) {
      s[0] += l.u(i, 1, k);
      s[1] += l.u(i, nj, k);
    }
    for (int j = 1; j <= nj; ++j) {
      s[2] += l.u(i, j, 1);
      s[3] += l.u(i, j, nk);
    }
  }
  q.resize(4);
  for (int w = 0; w < 4; ++w) q[w] = topo::sum(s[w] / l.h);
}

}  // namespace mg
