#include <omp.h>
#include <cmath>
#include "block.hpp"

namespace hyd {

double Block::total(int v) const {
  const Field<double> &q = u_[v];
  double s = 0.0;
#pragma omp parallel for reduction(+ : s)
  for (int j = 0; j < q.nj(); ++j)
    for (int i : q.is())
      s += q(i, j);
  return s * dx_ * dy_;
}

double Block::total(double (*fn)(const Cons &)) const {
  double s = 0.0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < ni_; ++i)
    for (int j : u_[0].js()) {
      Cons c;
      for (int v = 0; v < NVAR; ++v) c.q[v] = u_[v](i, j);
      s += fn(c);
    }
  return s * dx_ * dy_;
}

// cells next to a shock count as shocked
void Block::dilateShock() {
  Field<int> grown(shock_);
  for (int j = 1; j < nj_ - 1; ++j)
    for (int i = 1; i < ni_ - 1; ++i) {
      if (shock_.row(i - 1)[j + 2] | shock_.row(i + 1)[j + 2] | shock_.row(i)[j + 1] | shock_.row(i)[j + 3])
        grown.row(i)[j + 2] = 1;
    }
  shock_.swap(grown);
}

// mean density of each row i
void Block::profile(std::vector<double> &p) const {
  p.assign(ni_, 0.0);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < ni_; ++i) {
    double s = 0.0;
    for (int j = 0; j < nj_; ++j) s += u_[RHO](i, j);
    p[i] = s / nj_;
  }
}

void Block::shockCells(std::vector<int> &perThread) const {
  perThread.assign(omp_get_max_threads(), 0);
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
#pragma omp for
    for (int i = 0; i < ni_; ++i)
      for (int j = 0; j < nj_; ++j)
        if (shock_(i, j)) perThread[me] += 1;
  }
}

}  // namespace hyd
