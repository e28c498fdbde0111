#ifndef MG_MG_HPP
#define MG_MG_HPP

#include <mpi.h>
#include <memory>
#include <string>
#include <vector>
#include "grid.hpp"

namespace mg {

namespace topo {
extern int rank, size, lower, upper;  // topology.cpp
void setup();
void exchange(Field& f);
void exchangeRows(Field& f);
void start(Field& f, MPI_Request* rq);
void finish(MPI_Request* rq);
double sum(double x);
double max(double x);
void collectCoarse(const std::vector<double>& mine, std::vector<double>& all);
void shareCoarse(std::vector<double>& all);
}  // namespace topo

struct Level {
  Level(int ni, int nj, int nk, double h_) : u(ni, nj, nk), f(ni, nj, nk), r(ni, nj, nk), t(ni, nj, nk), h(h_) {}
  Field u, f, r, t;
  double h;
};

class Smoother {
 public:
  virtual ~Smoother() {}
  virtual void sweep(Level& l) = 0;
  virtual std::string name() const = 0;
};

class Jacobi : public Smoother {
 public:
  void sweep(Level& l) override;
  std::string name() const override { return "jacobi"; }
};
class RedBlack : public Smoother {
 public:
  void sweep(Level& l) override;
  std::string name() const override { return "redblack"; }
};
class GaussSeidel : public Smoother {
 public:
  void sweep(Level& l) override;
  std::string name() const override { return "gs"; }
};
class LineZ : public Smoother {
 public:
  void sweep(Level& l) override;
  std::string name() const override { return "linez"; }
};
class LineX : public Smoother {
 public:
  void sweep(Level& l) override;
  std::string name() const override { return "linex"; }
};

struct CycleLog {
  char kind;
  double time;
  bool converged;
  double res;
  short level;
};

void residual(Level& l);
double norm2(const Level& l);
double normMax(const Level& l);
double meanValue(Level& l);
void restrictTo(const Level& fine, Level& coarse);
void prolongFrom(const Level& coarse, Level& fine);
void removeMean(Level& l);

class Solver {
 public:
  Solver(int n, int levels, std::unique_ptr<Smoother> pre, std::unique_ptr<Smoother> post);
  void source();
  double cycle();
  std::vector<int> signChanges();
  void wallFluxes(std::vector<double>& q);
  void shade(std::vector<float>& img);
  std::vector<CycleLog> log;

 private:
  void down(int l);
  void bottom(Level& l);
  std::vector<std::unique_ptr<Level>> level_;
  std::unique_ptr<Smoother> pre_, post_;
};

}  // namespace mg
#endif
