#pragma once
#include <cstddef>
#include <memory>
#include <vector>
#include "tasks.hpp"

namespace lb {

constexpr int Q = 19;
extern const int cx[Q], cy[Q], cz[Q], opposite[Q];
extern const double w[Q];

// Populations; one block for each direction, x fastest in it.
class Populations {
 public:
  Populations(int nx, int ny, int nz)
      : nx_(nx), ny_(ny), nz_(nz), plane_(std::size_t(nx) * ny), n_(plane_ * (nz + 2)),
        f_(tasks::alloc_parallel<double>(Q * n_)) {}
  double& operator()(int q, int x, int y, int z) { return f_[at(q, x, y, z)]; }
  double operator()(int q, int x, int y, int z) const { return f_[at(q, x, y, z)]; }
  double* plane(int q, int z) { return &f_[at(q, 0, 0, z)]; }
  std::size_t planeSize() const { return plane_; }
  void swap(Populations& o) { f_.swap(o.f_); }

 private:
  std::size_t at(int q, int x, int y, int z) const {
    return q * n_ + x + std::size_t(nx_) * y + plane_ * (z + 1);
  }
  int nx_, ny_, nz_;
  std::size_t plane_, n_;
  std::unique_ptr<double[]> f_;
};

// Scalar field in C order, f[x][y][z], as the output library wants it.
class Scalar {
 public:
  Scalar(int nx, int ny, int nz, double v)
      : ny_(ny), nz_(nz), v_(std::size_t(nx) * ny * nz, v) {}
  double& operator()(int x, int y, int z) { return v_[(std::size_t(x) * ny_ + y) * nz_ + z]; }
  double operator()(int x, int y, int z) const { return v_[(std::size_t(x) * ny_ + y) * nz_ + z]; }
  double* data() { return v_.data(); }
  const double* data() const { return v_.data(); }
  std::size_t size() const { return v_.size(); }

 private:
  int ny_, nz_;
  std::vector<double> v_;
};

struct Cell {
  double rho, ux, uy, uz;
};

struct Probe {
  char tag;
  double x, y, z;
  bool on;
  double last;
};

void equilibrium(const Cell& c, double* feq);

class Model {
 public:
  Model(int nx, int ny, int nz, double tau);
  void collide();
  void streamAll();
  void streamInner();
  void streamEdge();
  void bounceBack();
  void lid(double u);
  void moments();
  void force(double gx);
  void filterDensity();
  double residual();
  double mass() const;
  double enstrophy() const;
  void column(std::vector<double>& c) const;
  void sliceXY(int z, std::vector<float>& img) const;
  void fluidPerThread(std::vector<long>& n) const;
  void probes(std::vector<Probe>& p) const;

  Populations f, g;
  Scalar rho, ux, uy, uz, old;
  std::vector<char> solid;
  int nx, ny, nz;
  double omega;

 private:
  Cell cell_;  // work space of collide
  std::vector<double> plane_;
};

}  // namespace lb
