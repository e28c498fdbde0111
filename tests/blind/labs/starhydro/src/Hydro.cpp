#include "star.hpp"
#include <cmath>
#include <cstddef>
#include <limits>
#include <omp.h>
namespace star {
namespace {
inline double minmod(double a, double b) { return a * b <= 0.0 ? 0.0 : (std::fabs(a) < std::fabs(b) ? a : b); }
inline double kinetic(double r, double mx, double my, double mz) { return 0.5 * (mx * mx + my * my + mz * mz) / r; }
struct alignas(64) PadMax {
    double v;
};
}  // namespace
Hydro::Hydro(const Params& p, Domain& d) : par_(p), dom_(d) {
    const int n = d.n, nz = d.nz;
    for (auto& f : u) f = Field3<double>(n, n, nz);
    pr = Field3<double>(n, n, nz);
    temp = Field3<double>(n, n, nz);
    if (p.useTable) eos_.reset(new TableEos(240, 200));
    else eos_.reset(new GammaLaw(1.4));
    zones.resize(std::size_t(n) * n * nz);
    const double c = 0.5 * p.box;
    for (int i = -2; i < n + 2; ++i)
        for (int j = -2; j < n + 2; ++j)
            for (int k = -2; k < nz + 2; ++k) {
                const double x = (i + 0.5) * d.h - c, y = (j + 0.5) * d.h - c, z = (k + d.z0 + 0.5) * d.h - c;
                const double r = std::sqrt(x * x + y * y + z * z) + 1e-12, xi = M_PI * r;
                const double rho = r < 1.0 ? std::max(std::sin(xi) / xi, 1e-3) : 1e-3;
                u[0](i, j, k) = rho;
                u[4](i, j, k) = rho * (0.3 * rho + 0.02) + (r < 0.12 ? p.eExpl : 0.0);
            }
    for (std::size_t q = 0; q < zones.size(); ++q) {
        zones[q] = BurnZone();
        zones[q].X[0] = 1.0;
    }
    for (int t = 0; t < 20000; ++t) {
        Tracer tr = Tracer();
        tr.alive = true;
        tr.id = t;
        tr.x = p.box * ((t * 37) % 1009) / 1009.0;
        tr.y = p.box * ((t * 101) % 997) / 997.0;
        tr.z = (d.z0 + d.nz * ((t * 53) % 991) / 991.0) * d.h;
        tracers.push_back(tr);
    }
}
void Hydro::primitives() {
    const EosBase* eos = eos_.get();
#pragma omp parallel for
    for (int k = -2; k < dom_.nz + 2; ++k)
        for (int j = -2; j < dom_.n + 2; ++j)
            for (int i = -2; i < dom_.n + 2; ++i) {
                const double r = u[0](i, j, k);
                const double e = (u[4](i, j, k) - kinetic(r, u[1](i, j, k), u[2](i, j, k), u[3](i, j, k))) / r;
                pr(i, j, k) = eos->pressure(r, e);
                temp(i, j, k) = eos->temperature(r, e);
            }
}
// density and energy floors
void Hydro::floors() {
    const Span xs(0, dom_.n), ys(0, dom_.n), zs(0, dom_.nz);
    for (int j : ys)
        for (int i : xs)
            for (int k : zs) {
                double& r = u[0](i, j, k);
                if (r < 1e-4) r = 1e-4;
                const double ek = kinetic(r, u[1](i, j, k), u[2](i, j, k), u[3](i, j, k));
                if (u[4](i, j, k) < ek + 1e-6) u[4](i, j, k) = ek + 1e-6;
            }
}
double Hydro::timestep() {
    primitives();
    std::vector<PadMax> vmax(omp_get_max_threads());
    for (auto& w : vmax) w.v = 1e-12;
#pragma omp parallel for
    for (int j = 0; j < dom_.n; ++j) {
        PadMax& mine = vmax[omp_get_thread_num()];
        for (int i = 0; i < dom_.n; ++i) {
            int k = 0;
            while (k < dom_.nz) {
                const double r = u[0](i, j, k), cs = std::sqrt(1.67 * pr(i, j, k) / r);
                const double v = std::max(std::fabs(u[1](i, j, k)), std::max(std::fabs(u[2](i, j, k)), std::fabs(u[3](i, j, k)))) / r;
                mine.v = std::max(mine.v, v + cs);
                ++k;
            }
        }
    }
    double dt = std::numeric_limits<double>::max(), all;
    for (const auto& w : vmax) dt = std::min(dt, par_.cfl * dom_.h / w.v);
    MPI_Request rq;
    MPI_Iallreduce(&dt, &all, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD, &rq);
    MPI_Wait(&rq, MPI_STATUS_IGNORE);
    floors();
    return all;
}
// MUSCL with Rusanov fluxes in direction D
template <int D>
void Hydro::sweep(double dtdx) {
    const std::ptrdiff_t s = u[0].stride(D);
    const int n = dom_.n, nz = dom_.nz;
    if (fl_.nx() == 0) fl_ = Field3<Flux5>(n, n, nz);
    const double* q[5] = {u[0].data(), u[1].data(), u[2].data(), u[3].data(), u[4].data()};
    const double* p = pr.data();
#pragma omp parallel for
    for (int k = 0; k < nz + (D == 2); ++k)
        for (int j = 0; j < n + (D == 1); ++j)
            for (int i = 0; i < n + (D == 0); ++i) {
                const std::ptrdiff_t c = u[0].index(i, j, k);
                double l[5], r[5];
                for (int v = 0; v < 5; ++v) {
                    const double a = q[v][c - 2 * s], b = q[v][c - s], d = q[v][c], e = q[v][c + s];
                    l[v] = b + 0.5 * minmod(b - a, d - b);
                    r[v] = d - 0.5 * minmod(d - b, e - d);
                }
                const double ul = l[1 + D] / l[0], ur = r[1 + D] / r[0], pl = p[c - s], pp = p[c];
                const double a = std::max(std::fabs(ul) + std::sqrt(1.67 * pl / l[0]), std::fabs(ur) + std::sqrt(1.67 * pp / r[0]));
                Flux5& F = fl_(i, j, k);
                for (int v = 0; v < 5; ++v) F.f[v] = 0.5 * (l[v] * ul + r[v] * ur) - 0.5 * a * (r[v] - l[v]);
                F.f[1 + D] += 0.5 * (pl + pp);
                F.f[4] += 0.5 * (pl * ul + pp * ur);
            }
    const int di = D == 0, dj = D == 1, dk = D == 2;
    forCells(n, n, nz, [&](int i, int j, int k) {
        const Flux5 &a = fl_(i, j, k), &b = fl_(i + di, j + dj, k + dk);
        for (int v = 0; v < 5; ++v) u[v](i, j, k) -= dtdx * (b.f[v] - a.f[v]);
    });
}
void Hydro::gravitySource(double dt, const Field3<double>& phi) {
    const double w = 0.5 * dt / dom_.h;
    forColumns(dom_.n, dom_.n, dom_.nz, [&](int i, int j, int k) {
        const double r = u[0](i, j, k);
        const double gx = phi(i - 1, j, k) - phi(i + 1, j, k), gy = phi(i, j - 1, k) - phi(i, j + 1, k);
        const double gz = phi(i, j, k - 1) - phi(i, j, k + 1);
        u[4](i, j, k) += w * (gx * u[1](i, j, k) + gy * u[2](i, j, k) + gz * u[3](i, j, k));
        u[1](i, j, k) += w * r * gx;
        u[2](i, j, k) += w * r * gy;
        u[3](i, j, k) += w * r * gz;
    });
}
// alpha chain with sub-steps; a hot zone takes up to 200, a cold one none
void Hydro::burn(double dt) {
    const int n = dom_.n;
    std::vector<double> rate(7);
#pragma omp parallel for schedule(static)
    for (int k = 0; k < dom_.nz; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                BurnZone& z = zones[(std::size_t(k) * n + j) * n + i];
                z.rho = u[0](i, j, k);
                z.T = temp(i, j, k);
                z.edot = 0.0;
                z.nsub = z.T > 0.5 ? std::min(200, 1 + int(40.0 * z.T)) : 0;
                const double ds = z.nsub ? dt / z.nsub : 0.0;
                for (int s = 0; s < z.nsub; ++s) {
                    for (int m = 0; m < 6; ++m) rate[m] = z.rho * z.X[m] * std::exp(-(2.0 + m) / z.T);
                    for (int m = 0; m < 6; ++m) {
                        const double dx = std::min(z.X[m], ds * rate[m]);
                        z.X[m] -= dx;
                        z.X[m + 1] += dx;
                        z.edot += 0.05 * dx;
                    }
                }
                z.dtlast = dt;
            }
}
void Hydro::deposit(double) {
    const int n = dom_.n, nz = dom_.nz, ncell = n * n * nz;
#pragma omp parallel for
    for (int c = 0; c < ncell; ++c) {
        const int k = c % nz, j = (c / nz) % n, i = c / (nz * n);
        u[4](i, j, k) += u[0](i, j, k) * zones[(std::size_t(k) * n + j) * n + i].edot;
    }
}
void Hydro::moveTracers(double dt) {
    const double ih = 1.0 / dom_.h;
    const std::ptrdiff_t nt = std::ptrdiff_t(tracers.size());
#pragma omp parallel for
    for (std::ptrdiff_t t = 0; t < nt; ++t) {
        Tracer& a = tracers[t];
        if (!a.alive) continue;
        const int i = int(a.x * ih), j = int(a.y * ih), k = int(a.z * ih) - dom_.z0;
        if (i < 0 || j < 0 || i >= dom_.n || j >= dom_.n || k < 0 || k >= dom_.nz) {
            a.alive = false;
            continue;
        }
        const double r = u[0](i, j, k);
        a.x += dt * u[1](i, j, k) / r;
        a.y += dt * u[2](i, j, k) / r;
        a.z += dt * u[3](i, j, k) / r;
        a.tmax = std::max(a.tmax, temp(i, j, k));
        if (a.tmax > 0.8) a.burnt = true;
    }
    migrate();
}
void Hydro::migrate() {
    std::vector<Tracer> out[2], keep;
    const double zlo = dom_.z0 * dom_.h, zhi = (dom_.z0 + dom_.nz) * dom_.h;
    for (const Tracer& t : tracers) {
        if (t.z < zlo && !dom_.first()) out[0].push_back(t);
        else if (t.z >= zhi && !dom_.last()) out[1].push_back(t);
        else keep.push_back(t);
    }
    const int nb[2] = {dom_.lo_, dom_.hi_};
    for (int s = 0; s < 2; ++s) {
        int ns = int(out[s].size()), nr = 0;
        MPI_Sendrecv(&ns, 1, MPI_INT, nb[s], 40 + s, &nr, 1, MPI_INT, nb[1 - s], 40 + s, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        std::vector<MPI_Request> rq(ns);
        for (int m = 0; m < ns; ++m)
            MPI_Isend(&out[s][m], sizeof(Tracer), MPI_BYTE, nb[s], 50 + s, MPI_COMM_WORLD, &rq[m]);
        for (int m = 0; m < nr; ++m) {
            Tracer t;
            MPI_Recv(&t, sizeof(Tracer), MPI_BYTE, nb[1 - s], 50 + s, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            keep.push_back(t);
        }
        MPI_Waitall(ns, rq.data(), MPI_STATUSES_IGNORE);
    }
    tracers.swap(keep);
}
void Hydro::step(double dt, const Field3<double>& phi) {
    dom_.begin(u, 5);
    burn(dt);
    dom_.finish();
    primitives();
    const double w = dt / dom_.h;
    sweep<0>(w);
    sweep<1>(w);
    sweep<2>(w);
    gravitySource(dt, phi);
    deposit(dt);
}
}  // namespace star
