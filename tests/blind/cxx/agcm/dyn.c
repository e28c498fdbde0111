/* dyn.c - dry dynamics on the latitude-longitude grid */
#include <math.h>
#include <string.h>
#include <omp.h>
#include "agcm.h"

static double *flx;

void pressure_gradient(void)
{
    int i, j, k;
#pragma omp parallel for private(j, k)
    for (i = 1; i <= im; i++)
        for (j = 1; j <= jm; j++)
            for (k = 0; k < km; k++) {
                u.tend[X3(k, j, i)] -= 0.5 * (h.a[X3(k, j, i + 1)] - h.a[X3(k, j, i - 1)]);
                v.tend[X3(k, j, i)] -= 0.5 * (h.a[X3(k, j + 1, i)] - h.a[X3(k, j - 1, i)]);
            }
}

/* first-order upwind in both directions */
void advect(double *a)
{
    int i, j, k;
    if (!flx) flx = calloc((size_t)JW * IW, sizeof(double));
    for (k = 0; k < km; k++) {
#pragma omp parallel for private(i)
        for (j = 1; j <= jm; j++)
            for (i = 1; i <= im; i++) {
                double uu = u.a[X3(k, j, i)], vv = v.a[X3(k, j, i)];
                flx[X2(j, i)] = uu * (uu > 0 ? a[X3(k, j, i)] - a[X3(k, j, i - 1)] : a[X3(k, j, i + 1)] - a[X3(k, j, i)])
                              + vv * (vv > 0 ? a[X3(k, j, i)] - a[X3(k, j - 1, i)] : a[X3(k, j + 1, i)] - a[X3(k, j, i)]);
            }
#pragma omp parallel for private(i)
        for (j = 1; j <= jm; j++)
            for (i = 1; i <= im; i++)
                a[X3(k, j, i)] -= ctl.dt * flx[X2(j, i)];
    }
}

static void diffuse_row(const double *a, double *b, int k, int j, double nu)
{
    const double *c = a + X3(k, j, 0), *n = a + X3(k, j + 1, 0), *s = a + X3(k, j - 1, 0);
    double *r = b + X3(k, j, 0);
    int i;
    for (i = 1; i <= im; i++)
        r[i] += nu * (c[i - 1] + c[i + 1] + n[i] + s[i] - 4.0 * c[i]);
}

void diffuse(double *a, double nu)
{
    double *b = u.tend;
    int j, k;
    if (a == v.a) b = v.tend;
    if (a == h.a) b = h.tend;
    if (a == t.a) b = t.tend;
    if (a == q.a) b = q.tend;
    halo_begin(a);
#pragma omp parallel for collapse(2) schedule(static)
    for (k = 0; k < km; k++)
        for (j = 2; j < jm; j++) diffuse_row(a, b, k, j, nu);
    halo_end(a);
#pragma omp parallel for schedule(static)
    for (k = 0; k < km; k++) {
        diffuse_row(a, b, k, 1, nu);
        if (jm > 1) diffuse_row(a, b, k, jm, nu);
    }
}

void update(double dt)
{
    Var *all[5];
    size_t n = (size_t)km * JW * IW;
    long l;
    int f;
    all[0] = &u; all[1] = &v; all[2] = &h; all[3] = &t; all[4] = &q;
#pragma omp parallel private(f)
    {
        for (f = 0; f < 5; f++) {
            double *a = all[f]->a, *d = all[f]->tend;
#pragma omp for
            for (l = 0; l < (long)n; l++) {
                a[l] += dt * d[l];
                d[l] = 0.0;
            }
#pragma omp barrier
        }
    }
}

/* smooth along i near the poles */
void polar_filter(double *a)
{
    int i, j, k, s;
#pragma omp parallel for private(i, k, s) schedule(dynamic)
    for (j = 1; j <= jm; j++) {
        int jg = myrank * jm + j, ns = 0;
        double w[512];
        if (jg <= 8) ns = 9 - jg;
        if (jg > jm * nprocs - 8) ns = jg - (jm * nprocs - 8);
        for (k = 0; k < km; k++)
            for (s = 0; s < ns; s++) {
                double *r = a + X3(k, j, 0);
                r[0] = r[im];
                r[im + 1] = r[1];
                for (i = 1; i <= im; i++) w[i] = 0.25 * (r[i - 1] + 2 * r[i] + r[i + 1]);
                memcpy(r + 1, w + 1, im * sizeof(double));
            }
    }
}

/* implicit in the vertical; k outside, i inside */
void vertical_mix(double *a, double dt)
{
    const double c = 0.1 * dt, d = 1.0 + 2.0 * c;
    int i, j, k;
#pragma omp parallel private(i, k)
    {
        double *g = malloc((size_t)km * IW * sizeof(double));
#pragma omp for
        for (j = 1; j <= jm; j++) {
            for (i = 1; i <= im; i++) {
                g[i] = c / d;
                a[X3(0, j, i)] /= d;
            }
            for (k = 1; k < km; k++)
                for (i = 1; i <= im; i++) {
                    double m = 1.0 / (d - c * g[(k - 1) * IW + i]);
                    g[k * IW + i] = c * m;
                    a[X3(k, j, i)] = (a[X3(k, j, i)] + c * a[X3(k - 1, j, i)]) * m;
                }
            for (k = km - 2; k >= 0; k--)
                for (i = 1; i <= im; i++) a[X3(k, j, i)] += g[k * IW + i] * a[X3(k + 1, j, i)];
        }
        free(g);
    }
}

void continuity(double dt)
{
    int i, j, k;
    halo(u.a);
    halo(v.a);
#pragma omp parallel for private(i, j)
    for (k = 0; k < km; k++)
        for (i = 1; i <= im; i++)
            for (j = 1; j <= jm; j++) {
                double div = 0.5 * (u.a[X3(k, j, i + 1)] - u.a[X3(k, j, i - 1)] + v.a[X3(k, j + 1, i)] - v.a[X3(k, j - 1, i)]);
                h.tend[X3(k, j, i)] -= div;
            }
    (void)dt;
}
