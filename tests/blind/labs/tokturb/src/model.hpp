#pragma once
#include <memory>
#include "poisson.hpp"
#include "zcomm.hpp"
namespace tok {
struct Params {
  double adiab = 0.5, nu = 2.0e-2, kappa = 1.0, damp = 0.02, uPar = 0.1, srcAmp = 0.01;
};

class Source {
 public:
  virtual ~Source() = default;
  virtual double rate(double x, double n) const = 0;
};

std::unique_ptr<Source> makeSource(const std::string& name, const Grid& g, double amp);

/// Modified Hasegawa-Wakatani on a slab with parallel coupling.
class HWModel {
 public:
  HWModel(const Grid& g, const Params& p, ZComm& zc, std::unique_ptr<Source> src);
  void rhs(State& s, State& ds);
  void invert(State& s);
  void sponge(State& s) const;
  const Field& phi() const { return phi_; }
  const Grid& grid() const { return g_; }
  PoissonFFT& solver() { return poisson_; }
 private:
  void zonalMean(const Field& f, std::vector<double>& mean) const;
  void parallelCoupling(State& s, State& ds);
  Grid g_;
  Params p_;
  ZComm& zc_;
  std::unique_ptr<Source> src_;
  PoissonFFT poisson_;
  Field phi_, jpar_;
  std::vector<double> kappa_, dampX_, phiZ_, denZ_;
  std::vector<int> shear_;
};

class Integrator {
 public:
  virtual ~Integrator() = default;
  virtual void step(HWModel& m, State& s, double dt) = 0;
};

std::unique_ptr<Integrator> makeIntegrator(const std::string& name, const Grid& g);
}  // namespace tok
