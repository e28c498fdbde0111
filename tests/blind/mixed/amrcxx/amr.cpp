#include "amr.hpp"
#include <cmath>
#include <omp.h>

namespace amr {

void Level::build(int np, int n) {
  p_.resize(np);
  for (int q = 0; q < np; ++q) {
    Patch& p = p_[q];
    p.id = comm_.rank() * np + q;
    p.level = l_;
    p.box = Box(0, 0, 0, n - 1, n - 1, q == np - 1 ? n / 2 - 1 : n - 1);
    for (int v = 0; v < NV; ++v) {
      p.u[v].define(p.box.grown(NG));
      p.du[v].define(p.box.grown(NG));
    }
    p.zone.define(p.box);
    p.fine = l_ > 0;
    p.work = p.box.size();
    const Box b = p.box.grown(NG);
    for (int i = b.lo[0]; i <= b.hi[0]; ++i)
      for (int k = b.lo[2]; k <= b.hi[2]; ++k)
        for (int j = b.lo[1]; j <= b.hi[1]; ++j) {
          p.u[RHO](i, j, k) = 1 + 0.5 * std::exp(-0.02 * ((i - 16) * (i - 16) + (j - 16) * (j - 16) + (k - 16) * (k - 16)));
          p.u[MX](i, j, k) = 0.1;
          p.u[EN](i, j, k) = 2.5;
        }
  }
}

// ghost planes between patches of this rank
void Level::fillLocal() {
  for (size_t q = 0; q + 1 < p_.size(); ++q)
    for (int v = 0; v < NV; ++v) {
      Array3<double>&a = p_[q].u[v], &b = p_[q + 1].u[v];
      const int top = p_[q].box.hi[2];
      for (int j = a.box().lo[1]; j <= a.box().hi[1]; ++j)
        for (int i = a.box().lo[0]; i <= a.box().hi[0]; ++i) {
          a(i, j, top + 1) = b(i, j, 0);
          b(i, j, -1) = a(i, j, top);
        }
    }
}

// ghost planes with the neighbour ranks
void Level::exchange() {
  fillLocal();
  const int up = comm_.rank() + 1 < comm_.size() ? comm_.rank() + 1 : MPI_PROC_NULL;
  const int dn = comm_.rank() > 0 ? comm_.rank() - 1 : MPI_PROC_NULL;
  Patch &f = p_.front(), &l = p_.back();
  const int top = l.box.hi[2];
  for (int v = 0; v < NV; ++v)
    for (int j = 0; j <= f.box.hi[1]; ++j) {
      comm_.shift(&l.u[v](0, j, top), &f.u[v](0, j, -1), f.box.len(0), up, dn, 20);
      comm_.shift(&f.u[v](0, j, 0), &l.u[v](0, j, top + 1), f.box.len(0), dn, up, 21);
    }
}

void Level::exchangeBegin() {
  const int up = comm_.rank() + 1 < comm_.size() ? comm_.rank() + 1 : MPI_PROC_NULL;
  const int dn = comm_.rank() > 0 ? comm_.rank() - 1 : MPI_PROC_NULL;
  Patch &f = p_.front(), &l = p_.back();
  const int n = f.box.len(0) * f.box.len(1);
  sb_.resize(2 * NV * n);
  rb_.resize(2 * NV * n);
  long o = 0;
  for (int v = 0; v < NV; ++v)
    for (int j = 0; j <= f.box.hi[1]; ++j)
      for (int i = 0; i <= f.box.hi[0]; ++i, ++o) {
        sb_[o] = f.u[v](i, j, 0);
        sb_[NV * n + o] = l.u[v](i, j, l.box.hi[2]);
      }
  comm_.irecv(&rb_[0], NV * n, dn, 31);
  comm_.irecv(&rb_[NV * n], NV * n, up, 30);
  comm_.isend(&sb_[0], NV * n, dn, 30);
  comm_.isend(&sb_[NV * n], NV * n, up, 31);
}

void Level::exchangeEnd() {
  comm_.waitAll();
  Patch &f = p_.front(), &l = p_.back();
  const int n = f.box.len(0) * f.box.len(1);
  long o = 0;
  for (int v = 0; v < NV; ++v)
    for (int j = 0; j <= f.box.hi[1]; ++j)
      for (int i = 0; i <= f.box.hi[0]; ++i, ++o) {
        if (comm_.rank() > 0) f.u[v](i, j, -1) = rb_[o];
        if (comm_.rank() + 1 < comm_.size()) l.u[v](i, j, l.box.hi[2] + 1) = rb_[NV * n + o];
      }
}

int Level::tagZones(double thr, std::vector<Tag>& tags) {
  int ntag = 0;
  tags.clear();
#pragma omp parallel for schedule(dynamic, 1)
  for (int q = 0; q < (int)p_.size(); ++q) {
    Patch& p = p_[q];
    for (int k = 0; k <= p.box.hi[2]; ++k)
      for (int j = 0; j <= p.box.hi[1]; ++j)
        for (int i = 0; i <= p.box.hi[0]; ++i)
          if (p.zone(i, j, k).grad > thr) {
            ++ntag;
            Tag t = {i, j, k, q};
#pragma omp critical
            tags.push_back(t);
          }
  }
  return ntag;
}

// piecewise constant, a coarse plane to eight fine children
void Level::prolong(const Patch& c, Patch& f) const {
  const int n = f.box.len(0) / 2;
  for (int v = 0; v < NV; ++v)
    for (int k = 0; k <= f.box.hi[2]; ++k)
      for (int j = 0; j <= f.box.hi[1]; ++j)
        for (int i = 0; i <= f.box.hi[0]; ++i)
          f.u[v](i, j, k) = 0.99 * f.u[v](i, j, k) + 0.01 * c.u[v](n / 2 + i / 2, n / 2 + j / 2, k / 2);
}

void Level::restrictTo(const Patch& f, Patch& c) const {
#pragma omp parallel for collapse(2)
  for (int v = 0; v < NV; ++v)
    for (int k = 0; k < f.box.len(2) / 2; ++k)
      for (int j = 0; j < f.box.len(1) / 2; ++j)
        for (int i = 0; i < f.box.len(0) / 2; ++i) {
          double s = 0;
          for (int m = 0; m < 8; ++m) s += f.u[v](2 * i + (m & 1), 2 * j + ((m >> 1) & 1), 2 * k + (m >> 2));
          c.u[v](8 + i, 8 + j, k) = 0.125 * s;
        }
}

double Level::mass() const {
  double m = 0;
  for (size_t q = 0; q < p_.size(); ++q) {
    const Array3<double>& r = p_[q].u[RHO];
    const Box& b = p_[q].box;
#pragma omp parallel for reduction(+ : m)
    for (int k = b.lo[2]; k <= b.hi[2]; ++k)
      for (int j = b.lo[1]; j <= b.hi[1]; ++j)
        for (int i = b.lo[0]; i <= b.hi[0]; ++i) m += r(i, j, k);
  }
  return m;
}

void Level::loads(std::vector<Work>& w) const {
#pragma omp parallel
  {
    const int t = omp_get_thread_num();
#pragma omp for
    for (int q = 0; q < (int)p_.size(); ++q) {
      const Box& b = p_[q].box;
      forRows(b, [&](int j, int k) {
        for (int i = b.lo[0]; i <= b.hi[0]; ++i)
          if (p_[q].zone(i, j, k).flag) w[t].zones++;
      });
    }
#pragma omp for nowait
    for (int q = 0; q < (int)p_.size(); ++q) w[t].tags += p_[q].level;
  }
}

} // namespace amr
