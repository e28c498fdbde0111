#include "model.hpp"
#include <omp.h>
#include <cmath>
#include "brackets.hpp"
namespace tok {
namespace {

class GaussSource final : public Source {
 public:
  GaussSource(double x0, double w, double amp) : x0_(x0), w_(w), amp_(amp) {}
  double rate(double x, double) const override { return amp_ * std::exp(-(x - x0_) * (x - x0_) / (w_ * w_)); }
 private:
  double x0_, w_, amp_;
};

class RelaxSource final : public Source {
 public:
  explicit RelaxSource(double amp) : amp_(amp) {}
  double rate(double, double n) const override { return -amp_ * n; }
 private:
  double amp_;
};

// Low-storage coefficients: k-th row, stage s.
constexpr double kTab[4][4] = {{0, 0, 0, 0}, {0.5, 0, 0, 0}, {0, 0.5, 0, 0}, {0, 0, 1, 0}};
constexpr double kWeight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

double columnSum(int s) {
  double c = 0.0;
  for (int r = 0; r < 4; ++r) c += kTab[r][s];
  return c;
}

class RK4 final : public Integrator {
 public:
  explicit RK4(const Grid& g) : stage_(g), acc_(g), k_(g) {}
  void step(HWModel& m, State& s, double dt) override {
    acc_ = s;
    for (int st = 0; st < 4; ++st) {
      if (st == 0) {
        m.rhs(s, k_);
      } else {
        axpy(stage_, s, dt * kTab[st][st - 1]);
        m.invert(stage_);
        m.rhs(stage_, k_);
      }
      combine(m.grid(), dt * kWeight[st]);
    }
    s = acc_;
  }
 private:
  void axpy(State& out, const State& base, double c) {
    const std::size_t n = out.vor.size();
    real *ov = out.vor.data(), *od = out.den.data();
    const real *bv = base.vor.data(), *bd = base.den.data(), *kv = k_.vor.data(), *kd = k_.den.data();
#pragma omp parallel
    {
#pragma omp for schedule(static)
      for (std::size_t i = 0; i < n; ++i) ov[i] = bv[i] + c * kv[i];
#pragma omp for schedule(static)
      for (std::size_t i = 0; i < n; ++i) od[i] = bd[i] + c * kd[i];
    }
  }
  void combine(const Grid& g, double c) {
    forInterior(g, [&](int ix, int iy, int iz) {
      acc_.vor(ix, iy, iz) += c * k_.vor(ix, iy, iz);
      acc_.den(ix, iy, iz) += c * k_.den(ix, iy, iz);
    });
  }
  State stage_, acc_, k_;
};

class AB3 final : public Integrator {
 public:
  explicit AB3(const Grid& g) : h0_(g), h1_(g), h2_(g) {}
  void step(HWModel& m, State& s, double dt) override {
    std::swap(h2_, h1_);
    std::swap(h1_, h0_);
    m.rhs(s, h0_);
    const double c0 = n_ > 1 ? 23.0 / 12 : (n_ ? 1.5 : 1.0);
    const double c1 = n_ > 1 ? -16.0 / 12 : (n_ ? -0.5 : 0.0);
    const double c2 = n_ > 1 ? 5.0 / 12 : 0.0;
    forFluxTubes(m.grid(), [&](int ix, int iy, int iz) {
      s.vor(ix, iy, iz) += dt * (c0 * h0_.vor(ix, iy, iz) + c1 * h1_.vor(ix, iy, iz) + c2 * h2_.vor(ix, iy, iz));
      s.den(ix, iy, iz) += dt * (c0 * h0_.den(ix, iy, iz) + c1 * h1_.den(ix, iy, iz) + c2 * h2_.den(ix, iy, iz));
    });
    ++n_;
  }
 private:
  State h0_, h1_, h2_;
  int n_ = 0;
};
}  // namespace
std::unique_ptr<Source> makeSource(const std::string& name, const Grid& g, double amp) {
  if (name == "relax") return std::make_unique<RelaxSource>(amp);
  return std::make_unique<GaussSource>(0.2 * g.lx, 0.05 * g.lx, amp);
}

std::unique_ptr<Integrator> makeIntegrator(const std::string& name, const Grid& g) {
  if (name == "ab3") return std::make_unique<AB3>(g);
  if (std::abs(columnSum(2) - 1.0) > 1e-12) return nullptr;
  return std::make_unique<RK4>(g);
}

HWModel::HWModel(const Grid& g, const Params& p, ZComm& zc, std::unique_ptr<Source> src)
    : g_(g), p_(p), zc_(zc), src_(std::move(src)), poisson_(g, omp_get_max_threads()), phi_(g), jpar_(g),
      kappa_(g.nx + 2), dampX_(g.nx + 2, 1.0), phiZ_(g.nx + 2), denZ_(g.nx + 2), shear_(g.ny + 2) {
  for (int ix = 0; ix < g.nx + 2; ++ix) {
    const double xi = g.x(ix) / g.lx;
    kappa_[ix] = p.kappa * (1.0 + 0.3 * std::tanh(6.0 * (xi - 0.5)));
    dampX_[ix] = 1.0 - p.damp * (std::exp(-40.0 * xi) + std::exp(-40.0 * (1.0 - xi)));
  }
  for (int iy = 1; iy <= g.ny; ++iy) shear_[iy] = 1 + (iy + 3) % g.ny;
}

void HWModel::zonalMean(const Field& f, std::vector<double>& mean) const {
  const double w = 1.0 / (static_cast<double>(g_.ny) * g_.nz);
#pragma omp parallel for schedule(static)
  for (int ix = 1; ix <= g_.nx; ++ix) {
    double s = 0.0;
    for (int iz = 1; iz <= g_.nzLocal; ++iz)
      for (int iy = 1; iy <= g_.ny; ++iy) s += f(ix, iy, iz);
    mean[ix] = s * w;
  }
  zc_.sum(mean.data(), static_cast<int>(mean.size()));
}

void HWModel::invert(State& s) {
  s.vor.fillDirichletX(0.0, 0.0);
  s.vor.fillPeriodicY();
  s.den.fillDirichletX(0.0, 0.0);
  s.den.fillPeriodicY();
}

void HWModel::sponge(State& s) const {
  Field* list[2] = {&s.vor, &s.den};
  for (Field* f : list) {
#pragma omp parallel for schedule(static)
    for (int iz = 1; iz <= g_.nzLocal; ++iz) {
      for (int ix = 1; ix <= g_.nx; ++ix) {
        real* col = f->plane(iz) + f->ld() + ix;
        const double d = dampX_[ix];
        for (int n = g_.ny; n > 0; --n, col += f->ld()) *col *= d;
      }
    }
  }
}

// Current along the field from the non-zonal parts of phi and n.
void HWModel::parallelCoupling(State& s, State& ds) {
  zc_.exchange(s.den);
  const double c = p_.adiab / (g_.dz() * g_.dz()), up = p_.uPar / g_.dz();
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int iz = 0; iz < g_.nzLocal + 2; ++iz) {
      auto j = jpar_.view(iz);
      auto ph = phi_.view(iz);
      auto n = s.den.view(iz);
      for (int iy = 1; iy <= g_.ny; ++iy)
        for (int ix = 1; ix <= g_.nx; ++ix) j(ix, iy) = (ph(ix, iy) - phiZ_[ix]) - (n(ix, iy) - denZ_[ix]);
    }
#pragma omp for collapse(2) schedule(static)
    for (int iy = 1; iy <= g_.ny; ++iy)
      for (int ix = 1; ix <= g_.nx; ++ix)
        for (int iz = 1; iz <= g_.nzLocal; ++iz) {
          const double d2 = jpar_(ix, iy, iz + 1) - 2.0 * jpar_(ix, iy, iz) + jpar_(ix, iy, iz - 1);
          ds.vor(ix, iy, iz) -= c * d2 + up * (s.vor(ix, iy, iz) - s.vor(ix, iy, iz - 1));
          ds.den(ix, iy, iz) -= c * d2;
        }
  }
}

void HWModel::rhs(State& s, State& ds) {
  invert(s);
  zc_.shiftSheared(s.vor, shear_);
  zc_.exchange(s.den);
  poisson_.solve(s.vor, phi_);
  zc_.begin(phi_);
  zc_.finish();
  zonalMean(phi_, phiZ_);
  zonalMean(s.den, denZ_);

#pragma omp parallel for schedule(static)
  for (int iz = 1; iz <= g_.nzLocal; ++iz) {
    const State& cs = s;
    const Field& cphi = phi_;
    auto dv = ds.vor.view(iz);
    auto dn = ds.den.view(iz);
    for (int iy = 1; iy <= g_.ny; ++iy)
      for (int ix = 1; ix <= g_.nx; ++ix) {
        dv(ix, iy) = 0.0;
        dn(ix, iy) = src_->rate(g_.x(ix), cs.den(ix, iy, iz));
      }
    subtractArakawa(cphi.view(iz), cs.vor.view(iz), dv, g_.nx, g_.ny, g_.dx(), g_.dy());
    subtractArakawa(cphi.view(iz), cs.den.view(iz), dn, g_.nx, g_.ny, g_.dx(), g_.dy());
    subtractDrive(cphi.view(iz), dn, kappa_.data(), g_.nx, g_.ny, g_.dy());
    addPerpLaplacian(cs.vor.view(iz), dv, p_.nu, g_.nx, g_.ny, g_.dx(), g_.dy());
    addPerpLaplacian(cs.den.view(iz), dn, p_.nu, g_.nx, g_.ny, g_.dx(), g_.dy());
  }
  parallelCoupling(s, ds);
}
}  // namespace tok
