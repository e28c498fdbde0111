#include "lattice.h"
#include <math.h>
#include <omp.h>
#include <string.h>

static long acc_thr[MAXTHR];

static inline double staple(const replica *r, long s)
{
    return r->J[0][s] * r->phi[up[0][s]] + r->J[0][dn[0][s]] * r->phi[dn[0][s]] +
           r->J[1][s] * r->phi[up[1][s]] + r->J[1][dn[1][s]] * r->phi[dn[1][s]] +
           r->J[2][s] * r->phi[up[2][s]] + r->J[2][dn[2][s]] * r->phi[dn[2][s]];
}

static inline double act(double f, double h) { return -f * h + 0.5 * par.mass * f * f + par.lambda * f * f * f * f; }

/* two colours, all sites of one colour are independent */
void metropolis(replica *r)
{
    memset(acc_thr, 0, sizeof acc_thr);
#pragma omp parallel
    {
        const int me = omp_get_thread_num();
        for (int col = 0; col < 2; col++) {
#pragma omp for schedule(static)
            for (int z = 0; z < L; z++)
                for (int y = 0; y < L; y++) {
                    long s = SITE((y + z + col) & 1, y, z);
                    for (int x = (y + z + col) & 1; x < L; x += 2, s += 2) {
                        double h = staple(r, s), old = r->phi[s];
                        double nw = old + par.eps * (uran_t(me) - 0.5);
                        double dS = r->beta * (act(nw, h) - act(old, h));
                        if (dS <= 0.0 || uran_t(me) < exp(-dS)) {
                            r->phi[s] = nw;
                            acc_thr[me]++;
                        }
                    }
                }
        }
    }
    for (int t = 0; t < omp_get_max_threads(); t++)
        r->acc += acc_thr[t];
    r->tried += V;
}

/* reflection at the minimum of the quadratic part, accepted with the quartic */
void overrelax(replica *r)
{
    for (int col = 0; col < 2; col++) {
#pragma omp parallel for schedule(static)
        for (int x = 0; x < L; x++)
            for (int y = 0; y < L; y++)
                for (int z = (x + y + col) & 1; z < L; z += 2) {
                    long s = SITE(x, y, z);
                    double h = staple(r, s), old = r->phi[s], nw = 2.0 * h / (par.mass + 6.0) - old;
                    double dS = r->beta * (act(nw, h) - act(old, h));
                    if (dS <= 0.0 || uran() < exp(-dS))
                        r->phi[s] = nw;
                }
    }
}

static void smear_line(double *out, const double *f, double rho, int dir, int z)
{
    const long ps = (long)L * L;
    const double *a = f + z * ps;
    double *o = out + z * ps;
    switch (dir) {
    case 0:
        for (int y = 0; y < L; y++)
            for (int x = 0; x < L; x++)
                o[y * L + x] += rho * (a[y * L + (x + 1) % L] + a[y * L + (x + L - 1) % L]);
        break;
    case 1:
        for (int x = 0; x < L; x++)
            for (int y = 0; y < L; y++) {
                const int u = y + 1 < L ? y + 1 : 0, d = y ? y - 1 : L - 1;
                o[y * L + x] += rho * (a[u * L + x] + a[d * L + x]);
            }
        break;
    default: {
        const double *u = f + ((z + 1) % L) * ps, *d = f + ((z + L - 1) % L) * ps;
        for (long s = 0; s < ps; s++)
            o[s] += rho * (u[s] + d[s]);
    }
    }
}

void smear(replica *r, int n, double rho)
{
    const double c = 1.0 - 6.0 * rho;
    const long ps = (long)L * L;
#pragma omp parallel for schedule(static)
    for (long s = 0; s < V; s++)
        r->sm[s] = r->phi[s];
    for (int it = 0; it < n; it++) {
        for (int z = 0; z < L; z++) {
#pragma omp parallel for schedule(static)
            for (long s = z * ps; s < (z + 1) * ps; s++)
                r->tmp[s] = c * r->sm[s];
        }
#pragma omp parallel for schedule(static)
        for (int z = 0; z < L; z++)
            for (int dir = 0; dir < 3; dir++)
                smear_line(r->tmp, r->sm, rho, dir, z);
        double *t = r->sm;
        r->sm = r->tmp;
        r->tmp = t;
    }
}
