#include "fracture.hpp"
#include <cmath>
#include <limits>
namespace fc {
/* force on the top edge, its elements dealt out to the ranks */
double Fracture::reaction() {
  double mine = 0, total = 0;
  for (std::size_t q = rcu_.rank(); q < topElem_.size(); q += rcu_.size()) {
    const TriGeom& t = mesh_.tri[topElem_[q]];
    for (int a = 0; a < 3; ++a)
      if (mesh_.nodes[t.n[a]].y == 1.0) mine += t.area * (t.c[a] * st_[topElem_[q]].stress[1] + t.b[a] * st_[topElem_[q]].stress[2]);
  }
  if (rcu_.rank() == 0) {
    total = mine;
    for (int r = 1; r < rcu_.size(); ++r) {
      double part;
      MPI_Recv(&part, 1, MPI_DOUBLE, r, 9, rcu_.comm(), MPI_STATUS_IGNORE);
      total += part;
    }
  } else {
    MPI_Send(&mine, 1, MPI_DOUBLE, 0, 9, rcu_.comm());
  }
  return total;
}

double Fracture::crackLength() {
  double len = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : len)
  for (std::size_t q = 0; q < ips_.size(); ++q) {
    IntPoint& ip = ips_[q];
    const double dm = davg_[ip.elem];
    if (dm < 0.05) continue;
    const TriGeom& t = mesh_.tri[ip.elem];
    double gx = 0, gy = 0;
    for (int a = 0; a < 3; ++a) gx += t.b[a] * d_[t.n[a]], gy += t.c[a] * d_[t.n[a]];
    ip.gamma = 0.5 * (dm * dm / cfg_.ell + cfg_.ell * (gx * gx + gy * gy));
    ip.peak = std::max(ip.peak, ip.gamma);
    ip.cracked |= dm > 0.9;
    len += ip.w * ip.gamma;
  }
  return len;
}
/* largest value of every stress and strain component */
std::array<double, 6> Fracture::extrema() const {
  std::array<double, 6> m;
  const std::size_t ne = st_.size();
#pragma omp parallel for
  for (int c = 0; c < 6; ++c) {
    double best = std::numeric_limits<double>::lowest();
    for (std::size_t e = 0; e < ne; ++e)
      best = std::max(best, ip_[e * 6 + c]);
    m[c] = best;
  }
  return m;
}

void smoothRaster(Raster& g, int w) {
  const int nr = g.nr(), nc = g.nc();
  const double scale = 1.0 / ((2 * w + 1) * (2 * w + 1));
  Raster tmp(nr, nc);
#pragma omp parallel for schedule(static)
  for (int c = 0; c < nc; ++c)
    for (int r = 0; r < nr; ++r) {
      double s = 0;
      for (int k = std::max(0, r - w); k <= std::min(nr - 1, r + w); ++k) s += g(k, c);
      tmp(r, c) = s;
    }
#pragma omp parallel for schedule(static)
  for (int r = 0; r < nr; ++r) {
    auto head = tmp.begin() + r, tail = head, out = g.begin() + r;
    double run = 0;
    for (int k = 0; k < w; ++k, head += nr) run += *head;
    for (int c = 0; c < nc; ++c, out += nr) {
      if (c + w < nc) run += *head, head += nr;
      if (c > w) run -= *tail, tail += nr;
      *out = run * scale;
    }
  }
  double top = 0;
#pragma omp parallel for reduction(max : top)
  for (int r = 0; r < nr; ++r)
    for (int c = 0; c < nc; ++c) top = std::max(top, g(r, c));
  double* p = g.data();
#pragma omp parallel for simd schedule(static)
  for (int k = 0; k < nr * nc; ++k) p[k] = std::min(p[k], 0.99 * top);
}

FarField::FarField(const Mesh& m) : mesh_(m), nb_(int(m.boundary.size())) {
  g_.resize(std::size_t(nb_) * nb_), s_.resize(g_.size()), w_.assign(nb_, 1.0);
  DenseView<double> G(g_.data(), nb_);
  for (int j = 0; j < nb_; ++j)
    for (int i = 0; i < nb_; ++i) {
      const Node &p = m.nodes[m.boundary[i]], &q = m.nodes[m.boundary[j]];
      G(i, j) = -std::log(std::hypot(p.x - q.x, p.y - q.y) + 0.5 / nb_) / nb_;
    }
}

void FarField::update(const Vec& d) {
  for (int i = 0; i < nb_; ++i) w_[i] = 1 - d[mesh_.boundary[i]];
  DenseView<const double> G(g_.data(), nb_);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < nb_; ++i) {
    double* s = &s_[std::size_t(i) * nb_];
    std::fill(s, s + i + 1, 0.0);
    for (int k = 0; k < nb_; ++k) {
      const double a = w_[k] * G(k, i);
      const double* gk = G.row(k);
      for (int j = 0; j <= i; ++j) s[j] += a * gk[j];
    }
  }
}

double FarField::energy(const Vec& u) const {
  DenseView<const double> S(s_.data(), nb_);
  double e = 0;
  for (int j = 0; j < nb_; ++j) {
    const double uj = u[2 * mesh_.boundary[j] + 1];
    if (uj == 0.0) continue;
    for (int i = j; i < nb_; ++i)
      e += (i == j ? 0.5 : 1.0) * S(i, j) * uj * u[2 * mesh_.boundary[i] + 1];
  }
  return e;
}
}  // namespace fc
