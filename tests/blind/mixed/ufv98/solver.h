#ifndef UFV_SOLVER_H
#define UFV_SOLVER_H
#include <cmath>
#include "mesh.h"
#include "par.h"

class FluxScheme {
public:
  virtual ~FluxScheme() {}
  virtual void flux(const double* l, const double* r, const Vec3& n, double a, double* f) const = 0;
  virtual double wave(const double* u) const = 0;
};

class Central : public FluxScheme {
public:
  void flux(const double* l, const double* r, const Vec3& n, double a, double* f) const {
    const double un = (l[1] * n.x + l[2] * n.y + l[3] * n.z) / l[0];
    const double ur = (r[1] * n.x + r[2] * n.y + r[3] * n.z) / r[0];
    for (int v = 0; v < NVAR; ++v) f[v] = 0.5 * a * (un * l[v] + ur * r[v]);
  }
  double wave(const double* u) const { return std::fabs(u[1] / u[0]); }
};

class Rusanov : public FluxScheme {
public:
  void flux(const double* l, const double* r, const Vec3& n, double a, double* f) const {
    const double un = (l[1] * n.x + l[2] * n.y + l[3] * n.z) / l[0];
    const double ur = (r[1] * n.x + r[2] * n.y + r[3] * n.z) / r[0];
    const double s = std::fabs(un) > std::fabs(ur) ? std::fabs(un) : std::fabs(ur);
    for (int v = 0; v < NVAR; ++v) f[v] = 0.5 * a * (un * l[v] + ur * r[v] - (s + 1) * (r[v] - l[v]));
  }
  double wave(const double* u) const { return std::fabs(u[1] / u[0]) + std::sqrt(std::fabs(u[4] / u[0])); }
};

class Solver {
public:
  Solver(Mesh& m, Parallel& p, const FluxScheme& s, int nthreads);
  void init();
  void step(int n);
  double residual() const { return res_; }
  double force() const { return force_; }
private:
  void timeStep();
  void gradients();
  void limiters();
  void convective();
  void viscous();
  void boundary();
  void turbulence();
  void update(double alpha);
  void norms();
  void monitor(int n);

  Mesh& m_;
  Parallel& par_;
  const FluxScheme& fs_;
  State u_, r_;
  std::vector<double> grad_;   // cell, variable, direction
  std::vector<double> nut_;
  std::vector<double> part_;   // per thread
  Table wallLaw_;
  double res_, force_, dt_;
};
#endif
