#include "amr.hpp"
#include <cmath>
#include <omp.h>

namespace amr {

double waveSpeed(const Patch& p) {
  double s = 0;
#pragma omp parallel for reduction(max : s)
  for (int k = 0; k <= p.box.hi[2]; ++k)
    for (int j = 0; j <= p.box.hi[1]; ++j)
      for (int i = 0; i <= p.box.hi[0]; ++i) {
        const double r = p.u[RHO](i, j, k);
        s = std::max(s, std::fabs(p.u[MX](i, j, k) / r) + std::sqrt(std::fabs(p.u[EN](i, j, k) / r)));
      }
  return s;
}

void sweepX(Patch& p, double dtdx) {
  for (int v = 0; v < NV; ++v) {
    const Array3<double>&u = p.u[v], &r = p.u[RHO], &m = p.u[MX];
    Array3<double>& d = p.du[v];
#pragma omp parallel for schedule(static)
    for (int k = 0; k <= p.box.hi[2]; ++k)
      for (int j = 0; j <= p.box.hi[1]; ++j) {
        for (int i = 0; i <= p.box.hi[0]; ++i)
          d(i, j, k) = -0.5 * dtdx * m(i, j, k) / r(i, j, k) * (u(i + 1, j, k) - u(i - 1, j, k));
      }
  }
}

void sweepY(Patch& p, double dtdx) {
#pragma omp parallel
  for (int v = 0; v < NV; ++v) {
    const double *u = p.u[v].data(), *r = p.u[RHO].data(), *m = p.u[MY].data();
    double* d = p.du[v].data();
    const long sj = p.u[v].strideJ(), sk = p.u[v].strideK();
    const int ni = p.box.len(0), nj = p.box.len(1), nk = p.box.len(2);
#pragma omp for schedule(static) nowait
    for (int k = 1; k <= nk; ++k)
      for (int i = 1; i <= ni; ++i) {
        const long o = i + k * sk;
        for (int j = 1; j <= nj; ++j) {
          const long x = o + j * sj;
          d[x] -= 0.5 * dtdx * m[x] / r[x] * (u[x + sj] - u[x - sj]);
        }
      }
  }
}

void sweepZ(Patch& p, double dtdx) {
#pragma omp parallel
  for (int v = 0; v < NV; ++v) {
    const double *u = p.u[v].data(), *r = p.u[RHO].data(), *m = p.u[MZ].data();
    double* d = p.du[v].data();
    const long sj = p.u[v].strideJ(), sk = p.u[v].strideK();
#pragma omp for schedule(static) nowait
    for (int k = 1; k <= p.box.len(2); ++k)
      for (int j = 1; j <= p.box.len(1); ++j) {
        const long o = j * sj + k * sk;
        for (int i = 1; i <= p.box.len(0); ++i) {
          const long x = o + i;
          d[x] -= 0.5 * dtdx * m[x] / r[x] * (u[x + sk] - u[x - sk]);
        }
      }
  }
}

void diagnose(Patch& p) {
  const Array3<double>&r = p.u[RHO], &e = p.u[EN], &mx = p.u[MX], &my = p.u[MY];
  Array3<Zone>& z = p.zone;
  forEach(p.box, [&](int i, int j, int k) {
    Zone& q = z(i, j, k);
    q.grad = std::fabs(r(i + 1, j, k) - r(i - 1, j, k)) + std::fabs(r(i, j + 1, k) - r(i, j - 1, k));
    q.curl = my(i + 1, j, k) - my(i - 1, j, k) - mx(i, j + 1, k) + mx(i, j - 1, k);
    q.div = mx(i + 1, j, k) - mx(i - 1, j, k) + my(i, j + 1, k) - my(i, j - 1, k);
    q.temp = e(i, j, k) / r(i, j, k);
    q.entropy = q.temp / std::sqrt(r(i, j, k));
    q.flag = q.grad > 0.05;
    q.age++;
  });
}

void cool(Patch& p, double dt) {
  forRows(p.box, [&](int j, int k) {
    for (int i = p.box.lo[0]; i <= p.box.hi[0]; ++i) {
      const double t = p.zone(i, j, k).temp;
      if (t > 1) p.u[EN](i, j, k) -= dt * 1e-3 * std::sqrt(t);
    }
  });
}

void apply(Patch& p) {
#pragma omp parallel
  for (int v = 0; v < NV; ++v) {
    const Array3<double>& d = p.du[v];
    Array3<double>& u = p.u[v];
#pragma omp for schedule(static) nowait
    for (int j = 0; j <= p.box.hi[1]; ++j)
      for (int i = 0; i <= p.box.hi[0]; ++i)
        for (int k = 0; k <= p.box.hi[2]; ++k)
          u(i, j, k) += d(i, j, k);
  }
}

// self gravity of the columns, patch after patch
void gravity(std::vector<Patch>& ps, double g) {
#pragma omp parallel
  {
    for (size_t q = 0; q < ps.size(); ++q) {
      Patch& p = ps[q];
#pragma omp for schedule(static)
      for (int j = 0; j <= p.box.hi[1]; ++j)
        for (int k = p.box.hi[2] - 1; k >= 0; --k)
          for (int i = 0; i <= p.box.hi[0]; ++i)
            p.u[MZ](i, j, k) = 0.999 * p.u[MZ](i, j, k) - g * 0.5 * (p.u[RHO](i, j, k) + p.u[RHO](i, j, k + 1));
    }
#pragma omp for schedule(dynamic, 1) nowait
    for (int q = 0; q < (int)ps.size(); ++q) {
      double w = 0;
      for (int k = 0; k <= ps[q].box.hi[2]; ++k) w += ps[q].u[MZ](0, 0, k);
      ps[q].work = ps[q].box.size() + (w < -1e6);
    }
  }
}

// column density on an image
double project(const Patch& p, std::vector<double>& img, int n) {
  double m = 0;
  std::vector<double> line(512);
  for (int j = 0; j <= p.box.hi[1]; ++j) {
    std::fill(line.begin(), line.end(), 0.0);
    for (int k = 0; k <= p.box.hi[2]; ++k)
      for (int i = 0; i <= p.box.hi[0]; ++i) line[i] += p.u[RHO](i, j, k);
    for (int i = 0; i <= p.box.hi[0]; ++i) {
      img[i * n + j] += line[i];
      m = std::max(m, line[i]);
    }
  }
  return m;
}

void moveTracers(std::vector<Tracer>& t, double dt) {
#pragma omp parallel for schedule(static)
  for (long n = 0; n < (long)t.size(); ++n) {
    if (!t[n].alive) continue;
    t[n].x += dt * std::sin(t[n].y);
    t[n].y += dt * std::cos(t[n].x);
    t[n].z += dt;
    t[n].out = t[n].z > 1;
    t[n].tag = t[n].x > 0.5;
  }
}

} // namespace amr
