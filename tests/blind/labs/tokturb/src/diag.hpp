#pragma once
#include <omp.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>
#include "model.hpp"
namespace tok {
struct Tracer {
  double x, y;
  double vx, vy;
  double x0, y0, birth;
  double hist[8];
  std::int64_t id;
  int plane;
  int crossings;
};

struct Totals {
  double energy, enstrophy, flux, dissipation;
};

struct alignas(64) Partial {
  double e = 0.0, w = 0.0, g = 0.0;
};

class Diagnostics {
 public:
  Diagnostics(const Grid& g, ZComm& zc, int tracers)
      : g_(g), zc_(zc), tr_(tracers), gradPdf_(64, 0.0), rowFlux_(omp_get_max_threads(), 0.0) {
    std::mt19937_64 gen(4711 + zc.rank());
    std::uniform_real_distribution<double> u(0.0, 1.0);
    for (auto& t : tr_) {
      t.x0 = t.x = g.lx * (0.1 + 0.8 * u(gen));
      t.y0 = t.y = g.ly * u(gen);
      t.vx = t.vy = t.birth = 0.0;
      t.id = &t - tr_.data();
      t.plane = 1 + static_cast<int>(t.id % g.nzLocal);
      t.crossings = 0;
      std::fill(std::begin(t.hist), std::end(t.hist), 0.0);
    }
  }
  Totals totals(const State& s, const Field& phi) {
    const double hx = 0.5 / g_.dx(), hy = 0.5 / g_.dy(), vol = g_.dx() * g_.dy() * g_.dz();
    std::vector<Partial> part(omp_get_max_threads());
    std::fill(rowFlux_.begin(), rowFlux_.end(), 0.0);
#pragma omp parallel
    {
      const int me = omp_get_thread_num();
      Partial& mine = part[me];
#pragma omp for collapse(2) schedule(static) nowait
      for (int iz = 1; iz <= g_.nzLocal; ++iz)
        for (int iy = 1; iy <= g_.ny; ++iy) {
          double e = 0.0, w = 0.0;
          for (int ix = 1; ix <= g_.nx; ++ix) {
            const double px = (phi(ix + 1, iy, iz) - phi(ix - 1, iy, iz)) * hx;
            const double py = (phi(ix, iy + 1, iz) - phi(ix, iy - 1, iz)) * hy;
            e += px * px + py * py + s.den(ix, iy, iz) * s.den(ix, iy, iz);
            w += s.vor(ix, iy, iz) * s.vor(ix, iy, iz);
            rowFlux_[me] -= s.den(ix, iy, iz) * py;
          }
          mine.e += e;
          mine.w += w;
        }
    }
    double e = 0.0, w = 0.0, f = 0.0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      e += part[i].e;
      w += part[i].w;
      f += rowFlux_[i];
    }
    Totals t;
    t.energy = zc_.sum(0.5 * vol * e);
    t.enstrophy = zc_.sum(0.5 * vol * w);
    t.flux = zc_.sum(vol * f);
    t.dissipation = 2.0 * t.enstrophy;
    return t;
  }
  void pushTracers(const Field& phi, double dt) {
    const double rx = 1.0 / g_.dx(), ry = 1.0 / g_.dy();
    for (auto& t : tr_) {
      const int ix = std::min(std::max(static_cast<int>(t.x * rx), 1), g_.nx);
      const int iy = 1 + static_cast<int>(t.y * ry) % g_.ny;
      const double ex = (phi(ix + 1, iy, t.plane) - phi(ix - 1, iy, t.plane)) * 0.5 * rx;
      const double ey = (phi(ix, iy + 1, t.plane) - phi(ix, iy - 1, t.plane)) * 0.5 * ry;
      t.x = std::min(std::max(t.x - dt * ey, 0.0), g_.lx);
      t.y = std::fmod(t.y + dt * ex + g_.ly, g_.ly);
    }
  }
  void binGradients(const Field& phi) {
    const double rx = 0.5 / g_.dx();
    const int nb = static_cast<int>(gradPdf_.size());
#pragma omp parallel for collapse(2) schedule(static)
    for (int iz = 1; iz <= g_.nzLocal; ++iz)
      for (int iy = 1; iy <= g_.ny; ++iy)
        for (int ix = 1; ix <= g_.nx; ++ix) {
          const double gx = (phi(ix + 1, iy, iz) - phi(ix - 1, iy, iz)) * rx;
          const int b = std::min(std::max(static_cast<int>(nb * (0.5 + 0.1 * gx)), 0), nb - 1);
#pragma omp atomic
          gradPdf_[b] += 1.0;
        }
  }

  void writeProfile(const Field& f, const char* file) const {
    std::vector<double> prof(g_.nx + 2, 0.0), all;
    for (int ix = 1; ix <= g_.nx; ++ix)
      for (int iy = 1; iy <= g_.ny; ++iy) prof[ix] += f(ix, iy, 1) / g_.ny;
    if (zc_.rank() == 0) all.resize(prof.size() * zc_.size());
    MPI_Gather(prof.data(), static_cast<int>(prof.size()), MPI_DOUBLE, all.data(), static_cast<int>(prof.size()),
               MPI_DOUBLE, 0, zc_.comm());
    if (zc_.rank() != 0) return;
    if (FILE* fp = std::fopen(file, "w")) {
      for (std::size_t i = 0; i < all.size(); ++i) std::fprintf(fp, "%.8e\n", all[i]);
      std::fclose(fp);
    }
  }
 private:
  Grid g_;
  ZComm& zc_;
  std::vector<Tracer> tr_;
  std::vector<double> gradPdf_;
  std::vector<double> rowFlux_;
};
}  // namespace tok
