#include "solver.h"
#include <omp.h>
#include <algorithm>

Solver::Solver(Mesh& m, Parallel& p, const FluxScheme& s, int nthreads)
  : m_(m), par_(p), fs_(s), u_(m.nCells()), r_(m.nCells()),
    grad_(m.nCells() * NVAR * 3), nut_(m.nCells()), part_(nthreads), wallLaw_(400, 250), res_(0), force_(0), dt_(0) {}

void Solver::init() {
  for (int j = 0; j < wallLaw_.nj(); ++j)
    for (int i = 0; i < wallLaw_.ni(); ++i)
      wallLaw_.set(i, j, std::log(1.0 + i) * (1 + 0.001 * j));
#pragma omp parallel for schedule(static)
  for (int c = 0; c < m_.nCells(); ++c) {
    const double s = std::exp(-10 * dot(m_.cell(c).centre(), m_.cell(c).centre()));
    u_(c, 0) = 1 + 0.1 * s;
    u_(c, 1) = 0.3;
    u_(c, 2) = 0.05 * s;
    u_(c, 3) = 0.02;
    u_(c, 4) = 2.5;
    nut_[c] = 1e-4;
  }
}

void Solver::timeStep() {
  double d = 1e30;
#pragma omp parallel for reduction(min : d)
  for (int c = 0; c < m_.nOwn(); ++c) {
    const double t = 0.1 * std::pow(m_.cell(c).volume(), 1.0 / 3.0) / (fs_.wave(u_.at(c)) + 1e-12);
    m_.cell(c).setDt(t);
    d = std::min(d, t);
  }
  dt_ = par_.min(d);
}

void Solver::gradients() {
  std::fill(grad_.begin(), grad_.end(), 0.0);
  for (int f = 0; f < m_.nFaces(); ++f) {
    const Face& F = m_.face(f);
    const int l = F.left(), r = F.right();
    for (int v = 0; v < NVAR; ++v) {
      const double s = 0.5 * (u_(l, v) + u_(r, v)) * F.area();
      double* gl = &grad_[(l * NVAR + v) * 3];
      double* gr = &grad_[(r * NVAR + v) * 3];
      gl[0] += s * F.normal().x; gl[1] += s * F.normal().y; gl[2] += s * F.normal().z;
      gr[0] -= s * F.normal().x; gr[1] -= s * F.normal().y; gr[2] -= s * F.normal().z;
    }
  }
}

void Solver::limiters() {
#pragma omp parallel for schedule(dynamic, 1)
  for (int c = 0; c < m_.nOwn(); ++c) {
    double g = 0;
    for (int k = 0; k < NVAR * 3; ++k) g = std::max(g, std::fabs(grad_[c * NVAR * 3 + k]));
    m_.cell(c).setLimiter(1.0 / (1.0 + g));
  }
}

// colours keep the faces of one pass apart
void Solver::convective() {
#pragma omp parallel
  for (int col = 0; col < m_.nColours(); ++col) {
#pragma omp for schedule(static)
    for (int f = m_.colourBegin(col); f < m_.colourEnd(col); ++f) {
      const Face& F = m_.face(f);
      double fl[NVAR];
      fs_.flux(u_.at(F.left()), u_.at(F.right()), F.normal(), F.area(), fl);
      for (int v = 0; v < NVAR; ++v) {
        r_(F.left(), v) -= fl[v];
        r_(F.right(), v) += fl[v];
      }
    }
  }
}

void Solver::viscous() {
#pragma omp parallel for schedule(static)
  for (int f = 0; f < m_.nFaces(); ++f) {
    const Face& F = m_.face(f);
    const int l = F.left(), r = F.right();
    for (int v = 1; v < NVAR; ++v) {
      const double q = 1e-3 * F.area() * (u_(r, v) - u_(l, v));
      r_(l, v) += q;
      r_(r, v) -= q;
    }
  }
}

void Solver::boundary() {
  const std::vector<Patch>& p = m_.patches();
  for (size_t i = 0; i < p.size(); ++i) {
    for (int c = p[i].first; c < p[i].last; ++c)
      for (int v = 0; v < NVAR; ++v) u_(c, v) += p[i].value[v];
  }
}

void Solver::turbulence() {
  double wl = 0;
#pragma omp parallel for reduction(+ : wl)
  for (int i = 0; i < wallLaw_.ni(); ++i)
    for (int j = 0; j < wallLaw_.nj(); ++j)
      wl += wallLaw_.get(i, j);
  wl /= wallLaw_.ni() * wallLaw_.nj();
#pragma omp parallel
  {
#pragma omp for
  for (int c = 0; c < m_.nOwn(); ++c) {
    double s = 0;
    for (int k = 0; k < m_.cell(c).nFaces(); ++k) {
      const Face& F = m_.face(m_.cell(c).face(k));
      s += nut_[F.left() == c ? F.right() : F.left()] - nut_[c];
    }
    const double d = m_.cell(c).wallDistance();
    r_(c, 4) += 1e-3 * s * wl / (1 + d);
  }
#pragma omp for
  for (int c = 0; c < m_.nOwn(); ++c) nut_[c] = std::max(1e-6, nut_[c] + 1e-6 * m_.cell(c).limiter());
  }
}

void Solver::update(double alpha) {
  for (int v = 0; v < NVAR; ++v) {
#pragma omp parallel for
    for (int c = 0; c < m_.nOwn(); ++c) {
      u_(c, v) += alpha * m_.cell(c).dt() / m_.cell(c).volume() * r_(c, v);
      r_(c, v) = 0;
    }
  }
}

void Solver::norms() {
  double rho = 0;
  std::fill(part_.begin(), part_.end(), 0.0);
#pragma omp parallel
  {
    const int t = omp_get_thread_num();
#pragma omp for
    for (int c = 0; c < m_.nOwn(); ++c)
      for (int v = 0; v < NVAR; ++v) part_[t] += r_(c, v) * r_(c, v);
  }
  for (size_t t = 0; t < part_.size(); ++t) rho += part_[t];
  double mass = 0;
#pragma omp parallel for
  for (int c = 0; c < m_.nOwn(); ++c) {
    const double q = u_(c, 0) * m_.cell(c).volume();
#pragma omp critical
    mass += q;
  }
  double drag = 0;
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for nowait
    for (int c = 0; c < m_.nOwn(); ++c) mine += u_(c, 1) * nut_[c];
#pragma omp atomic
    drag += mine;
  }
  res_ = par_.sum(rho);
  const double m = par_.sum(mass);
  force_ = par_.sum(drag) / m;
}

void Solver::monitor(int n) {
  double f[4] = {force_, res_, dt_, 0};
  std::vector<double> all;
  par_.gatherForces(f, 4, all);
  int probes = n;
  par_.passCount(probes);
  double tot[3] = {force_, res_, (double)probes};
  par_.sum(tot, 3);
}

void Solver::step(int n) {
  static const double rk[3] = {0.3, 0.6, 1.0};
  par_.exchange(m_, u_);
  timeStep();
  par_.exchangeScalar(m_, nut_);
  for (int s = 0; s < 3; ++s) {
    par_.exchange(m_, u_);
    gradients();
    limiters();
    convective();
    viscous();
    boundary();
    if (s == 2) turbulence();
    if (s == 2) norms();
    update(rk[s]);
    par_.wait();
  }
  par_.startExchange(m_, u_);
#pragma omp parallel for
  for (int c = 0; c < m_.nOwn(); ++c) {
    if (m_.cell(c).nFaces() < 6) continue;
    u_(c, 0) = std::max(u_(c, 0), 1e-3);
  }
  par_.finishExchange(m_, u_);
  monitor(n);
}
