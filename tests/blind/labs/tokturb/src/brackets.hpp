#pragma once
#include "field.hpp"
namespace tok {
/// r -= [a,b], Arakawa's energy and enstrophy conserving form.
template <class VA, class VB, class VR>
inline void subtractArakawa(const VA& a, const VB& b, const VR& r, int nx, int ny, double dx, double dy) {
  const double c = 1.0 / (12.0 * dx * dy);
  for (int iy = 1; iy <= ny; ++iy) {
    for (int ix = 1; ix <= nx; ++ix) {
      const double jpp = (a(ix + 1, iy) - a(ix - 1, iy)) * (b(ix, iy + 1) - b(ix, iy - 1)) -
                         (a(ix, iy + 1) - a(ix, iy - 1)) * (b(ix + 1, iy) - b(ix - 1, iy));
      const double jpx = a(ix + 1, iy) * (b(ix + 1, iy + 1) - b(ix + 1, iy - 1)) -
                         a(ix - 1, iy) * (b(ix - 1, iy + 1) - b(ix - 1, iy - 1)) -
                         a(ix, iy + 1) * (b(ix + 1, iy + 1) - b(ix - 1, iy + 1)) +
                         a(ix, iy - 1) * (b(ix + 1, iy - 1) - b(ix - 1, iy - 1));
      const double jxp = a(ix + 1, iy + 1) * (b(ix, iy + 1) - b(ix + 1, iy)) -
                         a(ix - 1, iy - 1) * (b(ix - 1, iy) - b(ix, iy - 1)) -
                         a(ix - 1, iy + 1) * (b(ix, iy + 1) - b(ix - 1, iy)) +
                         a(ix + 1, iy - 1) * (b(ix + 1, iy) - b(ix, iy - 1));
      r(ix, iy) -= c * (jpp + jpx + jxp);
    }
  }
}

/// r -= kappa(x) da/dy, the background gradient drive.
template <class VA, class VR>
inline void subtractDrive(const VA& a, const VR& r, const double* kappa, int nx, int ny, double dy) {
  for (int ix = 1; ix <= nx; ++ix) {
    const double k = 0.5 * kappa[ix] / dy;
    for (int iy = 1; iy <= ny; ++iy) r(ix, iy) -= k * (a(ix, iy + 1) - a(ix, iy - 1));
  }
}

/// r += nu * perpendicular Laplacian
template <class VA, class VR>
inline void addPerpLaplacian(const VA& a, const VR& r, double nu, int nx, int ny, double dx, double dy) {
  const double cx = nu / (dx * dx), cy = nu / (dy * dy);
  for (int iy = ny; iy >= 1; --iy)
    for (int ix = nx; ix >= 1; --ix)
      r(ix, iy) += cx * (a(ix + 1, iy) - 2.0 * a(ix, iy) + a(ix - 1, iy)) +
                   cy * (a(ix, iy + 1) - 2.0 * a(ix, iy) + a(ix, iy - 1));
}
}  // namespace tok
