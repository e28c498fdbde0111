#pragma once
#include <cstddef>
#include <string>
#include <vector>
namespace tok {
using real = double;

struct Grid {
  int nx = 256, ny = 256, nz = 16;
  double lx = 50.0, ly = 50.0, lz = 20.0;
  int nzLocal = 16;
  int zOffset = 0;
  double dx() const { return lx / (nx + 1); }
  double dy() const { return ly / ny; }
  double dz() const { return lz / nz; }
  double x(int ix) const { return ix * dx(); }
};

template <class T>
struct PlaneView {
  T* p;
  int ld;
  T& operator()(int ix, int iy) const { return p[ix + static_cast<std::ptrdiff_t>(ld) * iy]; }
};

class Field {
 public:
  explicit Field(const Grid& g)
      : nx_(g.nx + 2), ny_(g.ny + 2), nz_(g.nzLocal + 2),
        d_(static_cast<std::size_t>(nx_) * ny_ * nz_, 0.0) {}
  real& operator()(int ix, int iy, int iz) { return d_[at(ix, iy, iz)]; }
  real operator()(int ix, int iy, int iz) const { return d_[at(ix, iy, iz)]; }
  real* plane(int iz) { return d_.data() + at(0, 0, iz); }
  const real* plane(int iz) const { return d_.data() + at(0, 0, iz); }
  PlaneView<real> view(int iz) { return {plane(iz), nx_}; }
  PlaneView<const real> view(int iz) const { return {plane(iz), nx_}; }
  int ld() const { return nx_; }
  int rows() const { return ny_; }
  int planes() const { return nz_; }
  std::size_t planeSize() const { return static_cast<std::size_t>(nx_) * ny_; }
  std::size_t size() const { return d_.size(); }
  real* data() { return d_.data(); }
  const real* data() const { return d_.data(); }
  void fillPeriodicY() {
#pragma omp parallel for schedule(static)
    for (int iz = 0; iz < nz_; ++iz) {
      real* p = plane(iz);
      real* lo = p;
      real* hi = p + static_cast<std::ptrdiff_t>(nx_) * (ny_ - 1);
      for (int ix = 0; ix < nx_; ++ix) {
        lo[ix] = hi[ix - nx_];
        hi[ix] = lo[ix + nx_];
      }
    }
  }
  void fillDirichletX(real left, real right) {
#pragma omp parallel for schedule(static)
    for (int iz = 0; iz < nz_; ++iz) {
      auto v = view(iz);
      for (int iy = 0; iy < ny_; ++iy) {
        v(0, iy) = left;
        v(nx_ - 1, iy) = right;
      }
    }
  }
 private:
  std::size_t at(int ix, int iy, int iz) const {
    return ix + static_cast<std::size_t>(nx_) * (iy + static_cast<std::size_t>(ny_) * iz);
  }
  int nx_, ny_, nz_;
  std::vector<real> d_;
};

struct State {
  Field vor, den;
  explicit State(const Grid& g) : vor(g), den(g) {}
};

template <class Fn>
inline void forInterior(const Grid& g, Fn&& fn) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int iz = 1; iz <= g.nzLocal; ++iz)
    for (int iy = 1; iy <= g.ny; ++iy)
      for (int ix = 1; ix <= g.nx; ++ix) fn(ix, iy, iz);
}

template <class Fn>
inline void forFluxTubes(const Grid& g, Fn&& fn) {
#pragma omp parallel for schedule(static)
  for (int ix = 1; ix <= g.nx; ++ix)
    for (int iy = 1; iy <= g.ny; ++iy)
      for (int iz = 1; iz <= g.nzLocal; ++iz) fn(ix, iy, iz);
}
}  // namespace tok
