#include <cmath>
#include "parallel.hpp"
#include "system.hpp"

namespace md {

// Full list: each thread writes the force of its own atoms only.
void System::forces() {
  forwardPositions();
  std::fill(eThread_.begin(), eThread_.end(), 0.0);
  const double rc2 = rcut_ * rcut_;
  double vir = 0.0;
  parallel_for(nlocal_, [&](int i) {
    Atom &a = atoms_[i];
    Vec3 f{0.0, 0.0, 0.0};
    for (const Pair &p : pairs_[i]) {
      const Atom &b = atoms_[p.j];
      double dx = a.pos[0] - b.pos[0], dy = a.pos[1] - b.pos[1];
      const double dz = a.pos[2] - b.pos[2];
      dx -= lx * std::round(dx / lx);
      dy -= ly * std::round(dy / ly);
      const double r2 = dx * dx + dy * dy + dz * dz;
      if (r2 > rc2) continue;
      const double s = ljTable(a.type, p.kind, 1), e = ljTable(a.type, p.kind, 0);
      const double i2 = s * s / r2, i6 = i2 * i2 * i2;
      const double w = 24.0 * e * i6 * (2.0 * i6 - 1.0) / r2 * switching(r2) * p.scale;
      f[0] += w * dx;
      f[1] += w * dy;
      f[2] += w * dz;
      eThread_[omp_get_thread_num()] += 2.0 * e * i6 * (i6 - 1.0);
      vir += 0.5 * w * r2;
    }
    a.force = f;
  });
  potential = 0.0;
  for (double e : eThread_) potential += e;
  virial = vir;
}

// Excess energy straight from the cells, used as a check of the list.
void System::forcesCells() {
  PerThread<double> e;
  const double rc2 = rcut_ * rcut_;
  parallel_for_irregular(int(cell_.size()), [&](int c) {
    const auto &own = cell_[c];
    for (std::size_t k = 0; k < own.size(); ++k)
      for (std::size_t l = 0; l < k; ++l) {
        const Vec3 &p = atoms_[own[k]].pos, &q = atoms_[own[l]].pos;
        double r2 = 0.0;
        for (int d = 0; d < 3; ++d) r2 += (p[d] - q[d]) * (p[d] - q[d]);
        if (r2 < rc2) e.mine() += 1.0 / (r2 * r2 * r2);
      }
  });
  excess = e.sum();
}

void System::kick(double dt) {
  parallel_for(nlocal_, [&](int i) {
    Atom &a = atoms_[i];
    for (int d = 0; d < 3; ++d) a.vel[d] += dt * a.force[d] / a.mass;
  });
}

void System::drift(double dt) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < nlocal_; ++i) {
    Atom &a = atoms_[i];
    for (int d = 0; d < 3; ++d) {
      a.pos[d] += dt * a.vel[d];
      a.unwrapped[d] += dt * a.vel[d];
    }
    a.pos[0] -= lx * std::floor(a.pos[0] / lx);
    a.pos[1] -= ly * std::floor(a.pos[1] / ly);
    if (a.pos[2] < 0.0) { a.pos[2] = -a.pos[2]; a.vel[2] = -a.vel[2]; }
    if (a.pos[2] > lz) { a.pos[2] = 2 * lz - a.pos[2]; a.vel[2] = -a.vel[2]; }
  }
}

double System::kinetic() const {
  return parallel_sum(nlocal_, [&](int i) {
    const Vec3 &v = atoms_[i].vel;
    return 0.5 * atoms_[i].mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  });
}

void System::rescale(double f) {
  parallel_for(nlocal_, [&](int i) {
    for (auto &v : atoms_[i].vel) v *= f;
  });
}

}  // namespace md
