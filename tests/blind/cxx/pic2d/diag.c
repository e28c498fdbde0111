#include <math.h>
#include <omp.h>
#include <string.h>
#include "pic.h"

double hist2[HX][HV];

double kinetic(const Species *s)
{
    double e = 0.0;
    int k;
#pragma omp parallel for reduction(+ : e)
    for (k = 0; k < s->n; k++)
        e += 0.5 * s->m * (s->p[k].vx * s->p[k].vx + s->p[k].vy * s->p[k].vy);
    return e;
}

double momentum_x(const Species *s)
{
    double e = 0.0;
    int k;
#pragma omp parallel for reduction(+ : e)
    for (k = 0; k < s->n; k++) e += s->m * s->p[k].vx;
    return e;
}

double field_energy(void)
{
    double e = 0.0;
    int i, j;
#pragma omp parallel private(i, j)
    {
        double mine = 0.0;
#pragma omp for nowait
        for (i = 0; i < nx; i++)
            for (j = 0; j <= ny; j++) mine += ex[ND(i, j)] * ex[ND(i, j)] + ey[ND(i, j)] * ey[ND(i, j)];
#pragma omp atomic
        e += mine;
    }
    return 0.5 * e;
}

/* x-vx plane */
void phase_space(const Species *s)
{
    int k;
    memset(hist2, 0, sizeof hist2);
#pragma omp parallel for
    for (k = 0; k < s->n; k++) {
        int a = (int)(s->p[k].x / nx * HX), b = (int)(HV / 2 + s->p[k].vx * 16);
        if (a < 0) a = 0;
        if (a >= HX) a = HX - 1;
        if (b < 0) b = 0;
        if (b >= HV) b = HV - 1;
#pragma omp critical
        hist2[a][b] += s->p[k].weight;
    }
}

/* velocity distribution, all x */
void phase_cut(double *cut)
{
    int a, b;
    for (b = 0; b < HV; b++) {
        cut[b] = 0.0;
        for (a = 0; a < HX; a++) cut[b] += hist2[a][b];
    }
}

void potential_profile(double *px)
{
    int i, j;
    for (i = 0; i < nx; i++) {
        px[i] = 0.0;
        for (j = 0; j <= ny; j++) px[i] += phi[ND(i, j)];
        px[i] /= ny + 1;
    }
}

/* charge against y, wall to wall */
void charge_profile(double *py)
{
    int i, j;
    const double *r;
    for (j = 0; j <= ny; j++) {
        double s = 0.0;
        for (i = 0, r = rho + ND(0, j); i < nx; i++) s += r[i * LDY];
        py[j] = s / nx;
    }
}

void per_thread_counts(const Species *s, long *c)
{
#pragma omp parallel
    {
        long mine = 0;
        int k;
#pragma omp for schedule(dynamic, 1)
        for (k = 0; k < s->n; k++)
            if (s->p[k].vx > 0) mine++;
        c[omp_get_thread_num()] = mine;
    }
}

double max_speed(const Species *s)
{
    double m = 0.0;
    int k;
#pragma omp parallel
    {
        double mine = 0.0;
#pragma omp for
        for (k = 0; k < s->n; k++) {
            double v = s->p[k].vx * s->p[k].vx + s->p[k].vy * s->p[k].vy;
            if (v > mine) mine = v;
        }
#pragma omp critical
        if (mine > m) m = mine;
    }
    return sqrt(m);
}
