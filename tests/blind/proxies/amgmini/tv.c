/* test vectors: a few smooth vectors kept interleaved, t[i*NV + v], with
   which the quality of the hierarchy is judged after the set-up */
#include <math.h>
#include <stdlib.h>
#include "amg.h"

#define NV 8

typedef struct {                 /* one per aggregate */
    int    id, size;
    double vol;
    char   boundary;
    double worst;
} aggstat_t;

/* Jacobi on all vectors at once, one pass over the matrix */
static void tv_relax(const level_t *l, const double *t, double *u)
{
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < l->n; i++) {
        double a[NV] = {0};
        for (int k = l->D.ptr[i]; k < l->D.ptr[i+1]; k++) {
            const double *tc = t + (size_t)l->D.col[k]*NV;
            for (int v = 0; v < NV; v++) a[v] += l->D.val[k]*tc[v];
        }
        for (int v = 0; v < NV; v++) u[(size_t)i*NV + v] = t[(size_t)i*NV + v] - 0.7*l->dinv[i]*a[v];
    }
}

static void tv_normalise(double *t, int n)
{
    for (int v = 0; v < NV; v++) {
        double s = 0.0;
        for (int i = 0; i < n; i++) s += t[(size_t)i*NV + v]*t[(size_t)i*NV + v];
        s = 1.0/sqrt(s);
        for (int i = 0; i < n; i++) t[(size_t)i*NV + v] *= s;
    }
}

/* modified Gram-Schmidt, in place */
static void tv_orthogonalise(double *t, int n)
{
    for (int v = 1; v < NV; v++)
        for (int w = 0; w < v; w++) {
            double s = 0.0;
            double *p = t;
            for (int i = 0; i < n; i++, p += NV) s += p[v]*p[w];
            p = t;
            for (int i = 0; i < n; i++, p += NV) p[v] -= s*p[w];
        }
}

static void tv_gram(const double *t, int n, double g[NV][NV])
{
    for (int v = 0; v < NV; v++)
        for (int w = 0; w < NV; w++) g[v][w] = 0.0;
    for (int i = 0; i < n; i++) {
        const double *p = t + (size_t)i*NV;
        for (int v = 0; v < NV; v++)
            for (int w = 0; w < NV; w++) g[v][w] += p[v]*p[w];
    }
}

/* largest deviation from the aggregate mean, per aggregate */
static double tv_quality(const level_t *l, const level_t *c, const double *t)
{
    aggstat_t *st = calloc(c->n, sizeof *st);
    double *mean = calloc((size_t)NV*c->n, sizeof(double)), q = 0.0;
    for (int i = 0; i < l->n; i++) {
        int a = l->agg[i];
        st[a].id = a;
        st[a].size++;
        st[a].vol += 1.0/l->dinv[i];
        for (int v = 0; v < NV; v++) mean[(size_t)v*c->n + a] += 0.125*t[(size_t)i*NV + v];
    }
    for (int i = 0; i < l->n; i++) {
        int a = l->agg[i];
        double d = fabs(t[(size_t)i*NV] - mean[a]);
        if (d > st[a].worst) st[a].worst = d;
    }
    for (int a = 0; a < c->n; a++) if (st[a].worst > q) q = st[a].worst;
    free(st); free(mean);
    return q;
}

double tv_check(amg_t *m, int sweeps)
{
    level_t *l = &m->L[0];
    size_t sz = (size_t)NV*l->n*sizeof(double);
    double *t = malloc(sz), *u = malloc(sz), g[NV][NV], off = 0.0;
    #pragma omp parallel for
    for (int i = 0; i < l->n; i++)
        for (int v = 0; v < NV; v++) t[(size_t)i*NV + v] = sin(0.37*(v + 1)*(i + 1));
    for (int s = 0; s < sweeps; s++) {
        tv_relax(l, t, u);
        double *x = t; t = u; u = x;
        tv_normalise(t, l->n);
        if (s % 2) tv_orthogonalise(t, l->n);
    }
    tv_gram(t, l->n, g);
    for (int v = 0; v < NV; v++)
        for (int w = 0; w < v; w++) off += fabs(g[v][w]);
    double q = m->nlev > 1 ? tv_quality(l, l + 1, t) : 0.0;
    free(t); free(u);
    return q + off;
}
