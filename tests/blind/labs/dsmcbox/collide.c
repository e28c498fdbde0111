#include <math.h>
#include <omp.h>
#include "dsmc.h"

static inline double relspeed(const particle *a, const particle *c, double g[3])
{
    double s = 0.0;
    for (int d = 0; d < 3; d++) {
        g[d] = a->v[d] - c->v[d];
        s += g[d] * g[d];
    }
    return sqrt(s);
}

static void scatter(const box *b, particle *a, particle *c, double g, rng_t *r)
{
    double ma = b->sp[a->spec].mass, mc = b->sp[c->spec].mass, mt = 1.0 / (ma + mc);
    double ct = 2.0 * rng_u(r) - 1.0, st = sqrt(1.0 - ct * ct), ph = 6.283185307179586 * rng_u(r);
    double w[3] = {g * ct, g * st * cos(ph), g * st * sin(ph)};
    for (int d = 0; d < 3; d++) {
        double cm = (ma * a->v[d] + mc * c->v[d]) * mt;
        a->v[d] = cm + mc * mt * w[d];
        c->v[d] = cm - ma * mt * w[d];
    }
}

static void relax_rot(const box *b, particle *a, rng_t *r)
{
    if (b->sp[a->spec].dof && rng_u(r) * b->sp[a->spec].zrot < 1.0)
        a->erot = -1.38e-23 * 300.0 * log(rng_u(r) + 1e-300);
}

static long collide_cell(box *b, long c, rng_t *r, long *cand)
{
    const int lo = b->start[c], n = b->start[c + 1] - lo;
    long done = 0;
    if (n < 2)
        return 0;
    double want = 0.5 * n * (n - 1) * b->fnum * b->sig[0][0] * b->vrmax[c] * b->dt / (b->h * b->h * b->h) + b->rem[c];
    long m = (long)want;
    b->rem[c] = want - m;
    *cand += m;
    for (long t = 0; t < m; t++) {
        int i = lo + (int)(n * rng_u(r)), j = lo + (int)(n * rng_u(r));
        if (i == j)
            continue;
        particle *p = &b->p[b->perm[i]], *q = &b->p[b->perm[j]];
        double gv[3], g = relspeed(p, q, gv);
        if (g > b->vrmax[c])
            b->vrmax[c] = g;
        double s = b->sig[p->spec][q->spec] / b->sig[0][0] * pow(300.0 / (g + 1.0), 0.5);
        if (rng_u(r) * b->vrmax[c] > g * s)
            continue;
        scatter(b, p, q, g, r);
        relax_rot(b, p, r);
        done++;
        long e;
#pragma omp critical(events)
        {
            e = b->nev++;
            if (b->nev >= b->cap)
                b->nev = 0;
        }
        b->ev[e].type = p->spec == q->spec;
        b->ev[e].s1 = (short)p->spec;
        b->ev[e].s2 = (short)q->spec;
        b->ev[e].g = g;
        b->ev[e].dE = 0.5 * b->sp[p->spec].mass * g * g;
        b->ev[e].wall = 0;
    }
    return done;
}

void collide_all(box *b)
{
    long done = 0;
    b->nev = 0;
#pragma omp parallel reduction(+ : done)
    {
        rng_t *r = &b->rng[omp_get_thread_num()];
#pragma omp for schedule(static)
        for (long c = 0; c < b->ncell; c++) {
            long cand = 0;
            done += collide_cell(b, c, r, &cand);
            b->ncand += cand;
        }
    }
    b->ncoll += done;
}
