#ifndef BLOCK_HPP
#define BLOCK_HPP
#include <vector>
#include "comm.hpp"
#include "eos.hpp"
#include "field.hpp"

namespace hyd {

enum { RHO, MX, MY, EN, NVAR };

struct Tracer {
  double x, y;
  double u, v;
  double rho, p, T;
  double birth;
  int id;
  int flags;
  double hist[6];
};

struct Cons {
  double q[NVAR];
};

class Block {
 public:
  Block(int ni, int nj, int i0, double dx, double dy, const Eos *eos);

  void initBlast(int niGlobal);
  void primitives();
  double waveSpeed() const;
  double timeStep(double cfl) const;
  void boundaryY();
  void boundaryX();
  void sweepX(double dt);
  void sweepY(double dt);
  void gravity(double dt, double g);
  void smoothPressure();
  void dilateShock();
  void ghosts();
  void moveTracers(double dt);
  double tracerMeanX() const;
  double total(int v) const;
  double total(double (*fn)(const Cons &)) const;
  void profile(std::vector<double> &p) const;
  void shockCells(std::vector<int> &perThread) const;

  // applies f(i,j) on each interior cell
  template <class F>
  void forEach(F f) const {
#pragma omp parallel for
    for (int j = 0; j < nj_; ++j)
      for (int i = 0; i < ni_; ++i)
        f(i, j);
  }
  template <class F>
  void forRows(F f) const {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < ni_; ++i)
      for (int j = 0; j < nj_; ++j)
        f(i, j);
  }

 private:
  void limitedSlopes(const double *q, double *s, int n) const;
  void hll(const Cons &l, const Cons &r, int dir, Cons &f) const;

  int ni_, nj_, i0_;
  double dx_, dy_;
  const Eos *eos_;
  Field<double> u_[NVAR], un_[NVAR];
  Field<double> p_, vx_, vy_, c_;
  Field<double> work_;
  Field<int> shock_;
  std::vector<Tracer> tracers_;
  mutable std::vector<Cons> line_, fline_;
};

}  // namespace hyd
#endif
