#include "star.hpp"
#include <cmath>
#include <cstdio>
#include <omp.h>

namespace star {

static const int NBIN = 256;

Totals totals(const Hydro& hy, const Field3<double>& phi, const Domain& d) {
    Totals t = Totals(), all = Totals();
    const double vol = d.h * d.h * d.h;
    const int nt = omp_get_max_threads();
    std::vector<double> enuc(nt, 0.0);
    double mass = 0.0, mom = 0.0, et = 0.0, ep = 0.0;
#pragma omp parallel for reduction(+ : mass, mom, et)
    for (int k = 0; k < d.nz; ++k)
        for (int j = 0; j < d.n; ++j)
            for (int i = 0; i < d.n; ++i) {
                mass += hy.u[0](i, j, k) * vol;
                mom += std::fabs(hy.u[1](i, j, k)) * vol;
                et += hy.u[4](i, j, k) * vol;
            }
    // potential energy, columns
    const std::ptrdiff_t plane = phi.stride(2);
#pragma omp parallel for reduction(+ : ep)
    for (int j = 0; j < d.n; ++j)
        for (int i = 0; i < d.n; ++i) {
            const double *p = &phi(i, j, 0), *r = &hy.u[0](i, j, 0), *top = p + d.nz * plane;
            for (; p != top; p += plane, r += plane) ep += 0.5 * vol * *p * *r;
        }
    const std::ptrdiff_t nzone = std::ptrdiff_t(hy.zones.size());
#pragma omp parallel for
    for (std::ptrdiff_t q = 0; q < nzone; ++q)
        enuc[omp_get_thread_num()] += hy.zones[q].edot;
    t.mass = mass;
    t.mom = mom;
    t.etot = et;
    t.epot = ep;
    for (double e : enuc) t.enuc += e;
    MPI_Allreduce(&t.mass, &all.mass, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&t.mom, &all.mom, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&t.etot, &all.etot, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&t.epot, &all.epot, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&t.enuc, &all.enuc, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

void radialProfile(const Hydro& hy, const Domain& d, int step) {
    std::vector<double> m(NBIN, 0.0), tmx(NBIN, 0.0);
    const double c = 0.5 * d.n * d.h;
#pragma omp parallel for
    for (int i = 0; i < d.n; ++i)
        for (int j = 0; j < d.n; ++j)
            for (int k = 0; k < d.nz; ++k) {
                const double x = (i + 0.5) * d.h - c, y = (j + 0.5) * d.h - c, z = (k + d.z0 + 0.5) * d.h - c;
                const int b = std::min(NBIN - 1, int(NBIN * std::sqrt(x * x + y * y + z * z) / (1.8 * c)));
#pragma omp atomic
                m[b] += hy.u[0](i, j, k);
            }
#pragma omp parallel
    {
        std::vector<double> loc(NBIN, 0.0);
#pragma omp for nowait
        for (int k = 0; k < d.nz; ++k)
            for (int j = 0; j < d.n; ++j)
                for (int i = 0; i < d.n; ++i) {
                    const double x = (i + 0.5) * d.h - c, y = (j + 0.5) * d.h - c, z = (k + d.z0 + 0.5) * d.h - c;
                    const int b = std::min(NBIN - 1, int(NBIN * std::sqrt(x * x + y * y + z * z) / (1.8 * c)));
                    loc[b] = std::max(loc[b], hy.temp(i, j, k));
                }
#pragma omp critical
        for (int b = 0; b < NBIN; ++b) tmx[b] = std::max(tmx[b], loc[b]);
    }
    MPI_Reduce(d.rank ? m.data() : MPI_IN_PLACE, m.data(), NBIN, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(d.rank ? tmx.data() : MPI_IN_PLACE, tmx.data(), NBIN, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (d.rank == 0 && step % 50 == 0) {
        std::FILE* f = std::fopen("profile.txt", "w");
        for (int b = 0; f && b < NBIN; ++b) std::fprintf(f, "%d %g %g\n", b, m[b], tmx[b]);
        if (f) std::fclose(f);
    }
}

}  // namespace star
