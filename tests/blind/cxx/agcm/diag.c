/* diag.c */
#include <math.h>
#include <string.h>
#include <omp.h>
#include "agcm.h"

double total_energy(void)
{
    double e = 0.0;
    int i, j, k;
#pragma omp parallel for private(i, j) reduction(+ : e)
    for (k = 0; k < km; k++)
        for (j = 1; j <= jm; j++)
            for (i = 1; i <= im; i++) {
                double a = u.a[X3(k, j, i)], b = v.a[X3(k, j, i)];
                e += 0.5 * (a * a + b * b) + 0.5 * h.a[X3(k, j, i)] * h.a[X3(k, j, i)];
            }
    return e;
}

double total_water(void)
{
    double w = 0.0;
    long l, n = (long)im * jm * km;
#pragma omp parallel for reduction(+ : w)
    for (l = 0; l < n; l++) w += colQ[l];
    return w;
}

double max_wind(void)
{
    double m = 0.0;
    int i, j, k;
#pragma omp parallel for private(i, j)
    for (k = 0; k < km; k++)
        for (j = 1; j <= jm; j++)
            for (i = 1; i <= im; i++) {
                double w = fabs(u.a[X3(k, j, i)]) + fabs(v.a[X3(k, j, i)]);
#pragma omp critical
                { if (w > m) m = w; }
            }
    return m;
}

/* zm[k][j] */
void zonal_mean(const double *a, double *zm)
{
    int i, j, k;
#pragma omp parallel for private(i, j) collapse(1)
    for (k = 0; k < km; k++)
        for (j = 1; j <= jm; j++) {
            double s = 0.0;
            for (i = 1; i <= im; i++) s += a[X3(k, j, i)];
            zm[k * jm + j - 1] = s / im;
        }
}

void column_integral(const double *a, double *ci)
{
    int i, j, k;
#pragma omp parallel for private(i, k)
    for (j = 1; j <= jm; j++)
        for (i = 1; i <= im; i++) {
            double s = 0.0;
            for (k = 0; k < km; k++) s += a[X3(k, j, i)];
            ci[X2(j, i)] = s;
        }
}

void tracer_mass(double *m)
{
    int n, i, j, k;
    for (n = 0; n < NTRAC; n++) {
        double s = 0.0;
#pragma omp parallel for private(i, j) reduction(+ : s)
        for (k = 0; k < km; k++)
            for (j = 1; j <= jm; j++)
                for (i = 1; i <= im; i++) s += trac[n][X3(k, j, i)];
        m[n] = s;
    }
    MPI_Allreduce(MPI_IN_PLACE, m, NTRAC, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void count_wet(int *cnt)
{
    int n = im * jm * km;
#pragma omp parallel
    {
        int me = omp_get_thread_num(), l;
        cnt[me] = 0;
#pragma omp for schedule(static)
        for (l = 0; l < n; l++)
            if (colQ[l] > 0.005) cnt[me]++;
    }
}

double surface_mean(void)
{
    double s = 0.0;
    int l;
#pragma omp parallel
    {
        double mine = 0.0;
#pragma omp for nowait
        for (l = 0; l < im * jm; l++) mine += sfc[l].tsurf * (1.0 - sfc[l].albedo) + sfc[l].snow;
#pragma omp critical
        s += mine;
    }
    return s / (im * jm);
}

/* drag by the slopes of the orography, along a meridian */
void slope_drag(double *d)
{
    int i, j;
#pragma omp parallel for private(j)
    for (i = 1; i <= im; i++)
        for (j = 1; j < jm; j++)
            d[X2(j, i)] = 0.01 * (topo[j + 1][i] - topo[j - 1][i]) * u.a[X3(0, j, i)];
}

/* mean over the columns at each level */
void level_means(const double *c, double *m)
{
    int i, j, k;
    for (k = 0; k < km; k++) {
        m[k] = 0.0;
        for (j = 1; j <= jm; j++)
            for (i = 1; i <= im; i++)
                m[k] += c[C3(j, i, k)];
        m[k] /= im * jm;
    }
}

double roughness(void)
{
    double s = 0.0;
    int i, j;
    for (i = 1; i <= im; i++)
        for (j = 1; j < jm; j++) s += fabs(topo[j + 1][i] - topo[j][i]);
    return s;
}
