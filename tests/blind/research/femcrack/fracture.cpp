#include "fracture.hpp"
#include <omp.h>
#include <cmath>
#include <cstdio>
namespace fc {
Fracture::Fracture(const Config& cfg, const Mesh& mesh, MPI_Comm comm)
    : cfg_(cfg), mesh_(mesh), rcu_(comm, 2 * mesh.nnode()), rcd_(comm, mesh.nnode()),
      deg_(new QuadraticDegradation), raster_(cfg.raster, cfg.raster), far_(mesh) {
  const auto adj = mesh.nodeGraph();
  const int n = mesh.nnode(), ne = mesh.nelem();
  K_.pattern(adj, 2);
  D_.pattern(adj, 1);
  f_.assign(2 * n, 0), u_.assign(2 * n, 0), fd_.assign(n, 0), d_.assign(n, 0), nodal_.assign(n, 0);
  gdeg_.assign(ne, 1), davg_.assign(ne, 0), drive_.assign(ne, 0), fat_.assign(ne, 1), ip_.assign(6 * std::size_t(ne), 0);
  st_.resize(ne), ips_.resize(3 * std::size_t(ne));
  psiHist_.assign(cfg.window, Vec(ne, 0.0));
  mu_ = std::make_unique<TwoLevel>(mesh, rcu_, 2, 24);
  md_ = std::make_unique<LevelSsor>();
  const double c0 = cfg.E / ((1 + cfg.nu) * (1 - 2 * cfg.nu));
  for (int e = 0; e < ne; ++e) {
    st_[e].C = {c0 * (1 - cfg.nu), c0 * cfg.nu, 0, c0 * cfg.nu, c0 * (1 - cfg.nu), 0, 0, 0, c0 * (0.5 - cfg.nu)};
    const auto& nd = mesh.tri[e].n;
    if (std::any_of(nd, nd + 3, [&](int v) { return mesh.nodes[v].y == 1.0; })) topElem_.push_back(e);
    for (int g = 0; g < 3; ++g) ips_[3 * e + g].elem = e, ips_[3 * e + g].w = mesh.tri[e].area / 3;
    double x = 0, y = 0;
    for (int v : mesh.tri[e].n) x += mesh.nodes[v].x / 3, y += mesh.nodes[v].y / 3;
    if (x < 0.3 && std::abs(y - 0.5) < 0.6 / cfg.n) st_[e].H = st_[e].Hprev = 10 * cfg.Gc / cfg.ell;
  }
}

static void bmat(const TriGeom& t, double B[3][6]) {
  for (int a = 0; a < 3; ++a) {
    B[0][2 * a] = t.b[a], B[0][2 * a + 1] = 0;
    B[1][2 * a] = 0, B[1][2 * a + 1] = t.c[a];
    B[2][2 * a] = t.c[a], B[2][2 * a + 1] = t.b[a];
  }
}

template <class Kernel>
static void assembleColoured(const Mesh& mesh, Csr<double>& A, Kernel&& kern) {
#pragma omp parallel
  for (const auto& bucket : mesh.byColour) {
#pragma omp for schedule(static)
    for (std::size_t q = 0; q < bucket.size(); ++q) {
      const TriGeom& t = mesh.tri[bucket[q]];
      double ke[6][6];
      kern(bucket[q], t, ke);
      for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) A.at(2 * t.n[i / 2] + i % 2, 2 * t.n[j / 2] + j % 2) += ke[i][j];
    }
  }
}

void Fracture::assembleElastic(double disp) {
  K_.zero();
#pragma omp parallel for schedule(static)
  for (int e = 0; e < mesh_.nelem(); ++e) gdeg_[e] = deg_->g(davg_[e]);
  assembleColoured(mesh_, K_, [this](int e, const TriGeom& t, double ke[6][6]) {
    double B[3][6], CB[3][6] = {};
    bmat(t, B);
    for (int j = 0; j < 6; ++j)
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) CB[i][j] += st_[e].C[3 * i + k] * B[k][j];
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j)
        ke[i][j] = gdeg_[e] * t.area * (B[0][i] * CB[0][j] + B[1][i] * CB[1][j] + B[2][i] * CB[2][j]);
  });
  std::fill(f_.begin(), f_.end(), 0.0);
  auto fix = [this](int i, double v) {
    for (int k = K_.ptr[i]; k < K_.ptr[i + 1]; ++k) {
      double& kji = K_.at(K_.col[k], i);
      if (K_.col[k] != i) f_[K_.col[k]] -= kji * v, K_.val[k] = kji = 0;
      else kji = 1;
    }
    bc_.push_back({i, v});
  };
  bc_.clear();
  for (int v : mesh_.bottom) fix(2 * v, 0), fix(2 * v + 1, 0);
  for (int v : mesh_.top) fix(2 * v, 0), fix(2 * v + 1, disp);
  for (const auto& [i, v] : bc_) f_[i] = v;
}

void Fracture::assemblePhase() {
  D_.zero();
  std::fill(fd_.begin(), fd_.end(), 0.0);
  const double gl = cfg_.Gc * cfg_.ell, go = cfg_.Gc / cfg_.ell;
#pragma omp parallel for schedule(static)
  for (int e = 0; e < mesh_.nelem(); ++e) {
    const TriGeom& t = mesh_.tri[e];
    const double react = go * fat_[e] + 2 * drive_[e];
#pragma omp critical(phase)
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b < 3; ++b)
        D_.at(t.n[a], t.n[b]) += t.area * (gl * fat_[e] * (t.b[a] * t.b[b] + t.c[a] * t.c[b]) + react * (a == b ? 2 : 1) / 12);
      fd_[t.n[a]] += 2 * drive_[e] * t.area / 3;
    }
  }
}

void Fracture::strains() {
  std::vector<long> hits(omp_get_max_threads(), 0);
#pragma omp parallel for schedule(static)
  for (int e = 0; e < mesh_.nelem(); ++e) {
    const TriGeom& t = mesh_.tri[e];
    ElemState& s = st_[e];
    double ex = 0, ey = 0, gxy = 0;
    for (int a = 0; a < 3; ++a) {
      const double ux = u_[2 * t.n[a]], uy = u_[2 * t.n[a] + 1];
      ex += t.b[a] * ux, ey += t.c[a] * uy, gxy += t.c[a] * ux + t.b[a] * uy;
    }
    s.strain = {ex, ey, gxy};
    for (int i = 0; i < 3; ++i) s.stress[i] = gdeg_[e] * (s.C[3 * i] * ex + s.C[3 * i + 1] * ey + s.C[3 * i + 2] * gxy);
    const double m = 0.5 * (ex + ey), r = std::sqrt(0.25 * (ex - ey) * (ex - ey) + 0.25 * gxy * gxy);
    s.eig = {m + r, m - r, 0, 0};
    const double p1 = std::max(m + r, 0.0), p2 = std::max(m - r, 0.0), tr = std::max(ex + ey, 0.0);
    s.psi = 0.5 * s.C[1] * tr * tr + s.C[8] * (p1 * p1 + p2 * p2);
    for (int c = 0; c < 3; ++c) ip_[6 * std::size_t(e) + c] = s.stress[c], ip_[6 * std::size_t(e) + 3 + c] = s.strain[c];
    if (m > 0) ++hits[omp_get_thread_num()];
  }
  tension_ = 0;
  for (long h : hits) tension_ += h;
}

double Fracture::updateHistory() {
  double maxInc = 0;
#pragma omp parallel for schedule(static)
  for (int e = 0; e < mesh_.nelem(); ++e) {
    const double inc = st_[e].psi - st_[e].H;
    if (inc > 0) st_[e].H = st_[e].psi;
    if (inc > maxInc) maxInc = inc;
  }
  return maxInc;
}
/* area-weighted recovery of the driving energy at the nodes */
void Fracture::nodalDriving() {
  Vec w(nodal_.size(), 0.0);
  std::fill(nodal_.begin(), nodal_.end(), 0.0);
  int e = 0;
  for (const auto& t : mesh_.tri) {
    for (int v : t.n) {
      nodal_[v] += t.area * st_[e].H;
      w[v] += t.area;
    }
    ++e;
  }
  for (std::size_t v = 0; v < w.size(); ++v) nodal_[v] /= w[v];
}
/* nonlocal average of the driving energy on a background raster */
void Fracture::averageOnRaster() {
  const int nr = raster_.nr(), nc = raster_.nc();
#pragma omp parallel for schedule(static)
  for (int c = 0; c < nc; ++c)
    for (int r = 0; r < nr; ++r) raster_(r, c) = 0;
  const int reps = std::max(1, nc / cfg_.n);
#pragma omp parallel for schedule(static)
  for (int v = 0; v < mesh_.nnode(); ++v) {
    const int c0 = int(mesh_.nodes[v].x * (nc - 1)), r0 = int(mesh_.nodes[v].y * (nr - 1));
    for (int c = c0; c < std::min(nc, c0 + reps); ++c)
      for (int r = r0; r < std::min(nr, r0 + reps); ++r) {
#pragma omp atomic
        raster_(r, c) += nodal_[v];
      }
  }
  smoothRaster(raster_, 2);
#pragma omp parallel for schedule(static)
  for (int e = 0; e < mesh_.nelem(); ++e) {
    double x = 0, y = 0;
    for (int v : mesh_.tri[e].n) x += mesh_.nodes[v].x / 3, y += mesh_.nodes[v].y / 3;
    drive_[e] = 0.9 * st_[e].H + 0.1 * raster_(int(y * (nr - 1) + 0.5), int(x * (nc - 1) + 0.5));
  }
}
/* toughness loss from the energy swing in the last load steps */
void Fracture::fatigue(int step) {
  auto& now = psiHist_[step % cfg_.window];
#pragma omp parallel for
  for (int e = 0; e < mesh_.nelem(); ++e) now[e] = st_[e].psi;
#pragma omp parallel for
  for (int e = 0; e < mesh_.nelem(); ++e) {
    double acc = 0, peak = 0;
    for (const auto& h : psiHist_) {
      peak = std::max(peak, h[e]);
      acc += std::max(0.0, peak - h[e]);
    }
    fat_[e] = std::max(0.3, 1.0 - 0.01 * acc * cfg_.ell / cfg_.Gc);
  }
}

void Fracture::loadStep(int step) {
  const double disp = cfg_.dumax * (step + 1) / cfg_.steps;
  int itu = 0, itd = 0, k = 0;
  for (; k < cfg_.stagger; ++k) {
    assembleElastic(disp);
    mu_->update(K_);
    itu += pcg(K_, *mu_, rcu_, f_, u_, 1e-8, 3000);
    strains();
    const double inc = updateHistory();
    const auto top = extrema();
    nodalDriving();
    averageOnRaster();
    assemblePhase();
    md_->update(D_);
    itd += pcg(D_, *md_, rcd_, fd_, d_, 1e-8, 500);
#pragma omp parallel for schedule(static)
    for (int e = 0; e < mesh_.nelem(); ++e) {
      const auto& nd = mesh_.tri[e].n;
      davg_[e] = (d_[nd[0]] + d_[nd[1]] + d_[nd[2]]) / 3;
    }
    const double rf = reaction(), len = crackLength(), ef = far_.energy(u_);
    if (!rcu_.rank() && !cfg_.quiet)
      std::printf("  %d.%d  F %.5e  dH %.3e  len %.4f  syy %.3e  far %.3e\n", step, k, rf, inc, len, top[1], ef);
    if (inc < 1e-3 * cfg_.Gc / cfg_.ell) break;
  }
  if (cfg_.fatigue) fatigue(step);
  far_.update(d_);
  if (!rcu_.rank()) std::printf("step %d u %.3e  stagger %d  it %d/%d  tension %ld\n", step, disp, k, itu, itd, tension_);
}
}  // namespace fc
