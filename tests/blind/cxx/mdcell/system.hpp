#pragma once
#include <mpi.h>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace md {

using Vec3 = std::array<double, 3>;

struct Atom {
  Vec3 pos;
  Vec3 vel;
  Vec3 force;
  double mass, charge;
  int type, molecule;
  std::int64_t id;
  Vec3 unwrapped;
  Vec3 fold;
};

struct Pair {
  bool special;
  int j;
  char kind;
  double scale;
};

struct Env {
  int rank = 0, size = 1, up = MPI_PROC_NULL, down = MPI_PROC_NULL;
};
extern Env env;  // set in main

// x runs fastest
template <class T>
class Grid3 {
 public:
  Grid3(int nx, int ny, int nz) : nx_(nx), ny_(ny), nz_(nz), d_(std::size_t(nx) * ny * nz) {}
  T &operator()(int x, int y, int z) { return d_[x + std::size_t(nx_) * (y + std::size_t(ny_) * z)]; }
  const T &operator()(int x, int y, int z) const {
    return d_[x + std::size_t(nx_) * (y + std::size_t(ny_) * z)];
  }
  int nx() const { return nx_; }
  int ny() const { return ny_; }
  int nz() const { return nz_; }
  auto begin() { return d_.begin(); }
  auto end() { return d_.end(); }
 private:
  int nx_, ny_, nz_;
  std::vector<T> d_;
};

class System {
 public:
  System(int nside, double rho, double rcut);
  int nLocal() const { return nlocal_; }
  int nAll() const { return static_cast<int>(atoms_.size()); }

  // cells.cpp
  void buildCells();
  void buildPairs();
  // force.cpp
  void forces();
  void forcesCells();
  void kick(double dt);
  void drift(double dt);
  double kinetic() const;
  void rescale(double f);
  // exchange.cpp
  void migrate();
  void borders();
  void forwardPositions();
  void reverseCounts(std::vector<int> &counts);
  // analysis.cpp
  void density(Grid3<double> &g) const;
  void smooth(const Grid3<double> &a, Grid3<double> &b) const;
  void record();
  double msd() const;
  void msdCurve(std::vector<double> &c) const;
  double orderParameter() const;
  void histogram(std::vector<long> &h) const;

  double potential = 0.0, virial = 0.0, excess = 0.0;
  std::function<double(double)> switching;
  double zlo, zhi, lx, ly, lz;

 private:
  int cellOf(const Vec3 &p) const;
  double rcut_, skin_;
  int nlocal_ = 0;
  std::vector<Atom> atoms_;  // own atoms first, then ghosts
  std::vector<int> sendUp_, sendDown_;
  int ghostUp_ = 0, ghostDown_ = 0;
  int ncx_, ncy_, ncz_;
  std::vector<std::vector<int>> cell_;
  std::vector<std::vector<Pair>> pairs_;
  std::vector<std::vector<Vec3>> history_;  // [frame][atom]
  std::vector<double> eThread_;
};

void runningMeanZ(const Grid3<double> &a, Grid3<double> &b, int width);
void runningMeanX(const Grid3<double> &a, Grid3<double> &b, int width);
void sheet(const Grid3<double> &g, std::vector<std::vector<double>> &s);
double ljTable(int ti, int tj, int which);

}  // namespace md
