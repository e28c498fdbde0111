#include "md.hpp"
#include <algorithm>

namespace md {

// Lennard-Jones plus screened charges over the half list
void System::force()
{
    const double rc2 = par.rc*par.rc, kappa = 1.2;
    const int nt = omp_get_max_threads();
    fpriv.assign(std::size_t(nt)*3*nlocal, 0.0);
    std::vector<double> pe(nt, 0.0), vir(nt, 0.0);

    #pragma omp parallel
    {
        const int tid = omp_get_thread_num();
        double *f = fpriv.data() + std::size_t(tid)*3*nlocal;
        #pragma omp for schedule(static)
        for (int i = 0; i < nlocal; ++i) {
            const Atom &a = at[i];
            double fx = 0, fy = 0, fz = 0;
            for (int k = nstart[i]; k < nstart[i+1]; ++k) {
                const int j = nlist[k];
                const Atom &b = at[j];
                double dx = pbc(a.r[0] - b.r[0], box[0]), dy = pbc(a.r[1] - b.r[1], box[1]), dz = a.r[2] - b.r[2];
                double r2 = dx*dx + dy*dy + dz*dz;
                if (r2 >= rc2) continue;
                double ir2 = 1/r2, ir6 = ir2*ir2*ir2, r = std::sqrt(r2), qq = a.q*b.q*std::exp(-kappa*r)/r;
                double e = 4*ir6*(ir6 - 1) + qq;
                double g = (24*ir6*(2*ir6 - 1) + qq*(1 + kappa*r))*ir2;
                fx += g*dx; fy += g*dy; fz += g*dz;
                double wt = 0.5;
                if (j < nlocal) {
                    f[3*j] -= g*dx; f[3*j+1] -= g*dy; f[3*j+2] -= g*dz;
                    wt = 1.0;
                }
                pe[tid] += wt*e;
                vir[tid] += wt*g*r2;
            }
            f[3*i] += fx; f[3*i+1] += fy; f[3*i+2] += fz;
        }
        // fold the copies
        #pragma omp for schedule(static)
        for (int i = 0; i < nlocal; ++i)
            for (int d = 0; d < 3; ++d) {
                double s = 0;
                for (int t = 0; t < nt; ++t) s += fpriv[std::size_t(t)*3*nlocal + 3*i + d];
                at[i].f[d] = s;
            }
    }
    sum.pe = sum.vir = 0;
    for (int t = 0; t < nt; ++t) { sum.pe += pe[t]; sum.vir += vir[t]; }
}

// reciprocal part, a few dozen wave vectors
void System::kspace()
{
    sum.ekspace = 0;
    for (std::size_t k = 0; k < kvec.size(); ++k) {
        double re = 0, im = 0;
        const double kx = kvec[k][0], ky = kvec[k][1], kz = kvec[k][2];
        #pragma omp parallel for reduction(+:re,im)
        for (int i = 0; i < nlocal; ++i) {
            double ph = kx*at[i].r[0] + ky*at[i].r[1] + kz*at[i].r[2];
            re += at[i].q*std::cos(ph);
            im += at[i].q*std::sin(ph);
        }
        double s[2] = {re, im}, g[2];
        MPI_Allreduce(s, g, 2, MPI_DOUBLE, MPI_SUM, comm);
        sum.ekspace += kfac[k]*(g[0]*g[0] + g[1]*g[1]);
    }
}

// charges relaxed towards the mean of their neighbours
void System::correct_charges()
{
    std::vector<double> dq(nlocal, 0.0);
    double worst = 0;
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < nlocal; ++i) {
        double s = 0;
        int n = 0;
        for (int k = nstart[i]; k < nstart[i+1]; ++k) { s += at[nlist[k]].q; ++n; }
        dq[i] = n ? 1e-4*(s/n - at[i].q) : 0.0;
        #pragma omp critical
        {
            worst = std::max(worst, std::fabs(dq[i]));
        }
    }
    if (worst > 1e-12) {
        #pragma omp parallel for
        for (int i = 0; i < nlocal; ++i) at[i].q += dq[i];
    }
}

} // namespace md
