#include "star.hpp"
#include <cmath>
namespace star {
Multigrid::Multigrid(const Domain& d) : dom_(d) {
    int n = d.n, nz = d.nz;
    double h = d.h;
    while (true) {
        lev_.push_back(Level{Field3<double>(n, n, nz), Field3<double>(n, n, nz), Field3<double>(n, n, nz), h});
        if (n % 2 || nz % 2 || n <= 4 || nz <= 2) break;
        n /= 2;
        nz /= 2;
        h *= 2.0;
    }
}
// red-black Gauss-Seidel
void Multigrid::smooth(Level& L, int ns) {
    Field3<double>& p = L.phi;
    const int n = p.nx(), nz = p.nz();
    const double h2 = L.h * L.h;
    for (int it = 0; it < ns; ++it)
        for (int c = 0; c < 2; ++c) {
#pragma omp parallel for if (n >= 16)
            for (int k = 0; k < nz; ++k)
                for (int j = 0; j < n; ++j)
                    for (int i = (c + j + k + dom_.rank * nz) & 1; i < n; i += 2)
                        p(i, j, k) = (p(i - 1, j, k) + p(i + 1, j, k) + p(i, j - 1, k) + p(i, j + 1, k) + p(i, j, k - 1) +
                                      p(i, j, k + 1) - h2 * L.rhs(i, j, k)) / 6.0;
            dom_.exchange(p);
        }
}
double Multigrid::residual(Level& L) {
    Field3<double>& p = L.phi;
    const int n = p.nx(), nz = p.nz();
    const double ih2 = 1.0 / (L.h * L.h);
    double rmax = 0.0;
    dom_.exchange(p);
#pragma omp parallel
    {
#pragma omp for
        for (int k = 0; k < nz; ++k)
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i)
                    L.res(i, j, k) = L.rhs(i, j, k) - ih2 * (p(i - 1, j, k) + p(i + 1, j, k) + p(i, j - 1, k) + p(i, j + 1, k) +
                                                              p(i, j, k - 1) + p(i, j, k + 1) - 6.0 * p(i, j, k));
#pragma omp barrier
#pragma omp for reduction(max : rmax)
        for (int k = 0; k < nz; ++k)
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i) rmax = std::max(rmax, std::fabs(L.res(i, j, k)));
    }
    return rmax;
}
void Multigrid::restrictTo(const Level& f, Level& c) {
    const int n = c.phi.nx(), nz = c.phi.nz();
    const Field3<double>& r = f.res;
#pragma omp parallel for if (n >= 16)
    for (int I = 0; I < n; ++I)
        for (int J = 0; J < n; ++J)
            for (int K = 0; K < nz; ++K) {
                double s = 0.0;
                for (int b = 0; b < 8; ++b) s += r(2 * I + (b & 1), 2 * J + ((b >> 1) & 1), 2 * K + (b >> 2));
                c.rhs(I, J, K) = 0.125 * s;
                c.phi(I, J, K) = 0.0;
            }
}
void Multigrid::prolong(const Level& c, Level& f) {
    const int n = f.phi.nx(), nz = f.phi.nz();
#pragma omp parallel for if (n >= 16)
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) f.phi(i, j, k) += c.phi(i / 2, j / 2, k / 2);
}
// coarsest level: relax until it stands
void Multigrid::bottom(Level& L) {
    Field3<double>& p = L.phi;
    const int n = p.nx(), nz = p.nz();
    const double h2 = L.h * L.h;
    for (int it = 0; it < 24; ++it) {
        for (int k = 0; k < nz; ++k) {
#pragma omp parallel for
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i)
                    L.res(i, j, k) = (p(i - 1, j, k) + p(i + 1, j, k) + p(i, j - 1, k) + p(i, j + 1, k) + p(i, j, k - 1) +
                                      p(i, j, k + 1) - h2 * L.rhs(i, j, k)) / 6.0;
        }
        for (int k = 0; k < nz; ++k)
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i) p(i, j, k) = L.res(i, j, k);
        dom_.exchange(p);
    }
}
void Multigrid::vcycle(std::size_t l) {
    Level& L = lev_[l];
    if (l + 1 == lev_.size()) {
        bottom(L);
        return;
    }
    smooth(L, 2);
    residual(L);
    dom_.sync();
    restrictTo(L, lev_[l + 1]);
    vcycle(l + 1);
    prolong(lev_[l + 1], L);
    dom_.exchange(L.phi);
    smooth(L, 2);
}
// monopole potential on the faces of the box
void Multigrid::boundary(double mass) {
    Field3<double>& p = lev_[0].phi;
    const int n = p.nx(), nz = p.nz();
    const double h = lev_[0].h, c = 0.5 * n * h;
    auto pot = [&](int i, int j, int k) {
        const double x = (i + 0.5) * h - c, y = (j + 0.5) * h - c, z = (k + dom_.z0 + 0.5) * h - c;
        return -mass / std::sqrt(x * x + y * y + z * z);
    };
    for (int k = -1; k <= nz; ++k)
        for (int j = -1; j <= n; ++j) {
            p(-1, j, k) = pot(-1, j, k);
            p(n, j, k) = pot(n, j, k);
            p(j, -1, k) = pot(j, -1, k);
            p(j, n, k) = pot(j, n, k);
        }
    for (int side = 0; side < 2; ++side) {
        if (!(side ? dom_.last() : dom_.first())) continue;
        const int k = side ? nz : -1;
        for (int j = -1; j <= n; ++j)
            for (int i = -1; i <= n; ++i) p(i, j, k) = pot(i, j, k);
    }
}
int Multigrid::solve(const Field3<double>& rho, double gconst, double tol) {
    Level& L = lev_[0];
    const int n = rho.nx(), nz = rho.nz();
    const double fpg = 4.0 * M_PI * gconst, vol = L.h * L.h * L.h;
    double m = 0.0, mt = 0.0;
#pragma omp parallel for reduction(+ : m)
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < n; ++j) {
            double row = 0.0;
#pragma omp simd reduction(+ : row)
            for (int i = 0; i < n; ++i) row += rho(i, j, k);
            m += row * vol;
        }
    MPI_Allreduce(&m, &mt, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    forCells(n, n, nz, [&](int i, int j, int k) { L.rhs(i, j, k) = fpg * rho(i, j, k); });
    boundary(gconst * mt);
    int it = 0;
    for (double r = 1e300, all = 1e300; it < 20 && all > tol * fpg; ++it) {
        vcycle(0);
        r = residual(L);
        MPI_Allreduce(&r, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    return it;
}
}  // namespace star
