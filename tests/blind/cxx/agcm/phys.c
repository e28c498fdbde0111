/* phys.c - column physics, through a table of procedures */
#include <math.h>
#include <omp.h>
#include "agcm.h"

double *colT, *colQ;

static void radiation(int j, int i, double *tc, double *qc, double dt)
{
    int k, g;
    double z = cosz[X2(j, i)];
    if (z <= 0.0) {
        for (k = 0; k < km; k++) tc[k] -= 1e-5 * dt;
        return;
    }
    for (g = 0; g < 24; g++) {
        double tau = 0.0;
        for (k = km - 1; k >= 0; k--) {
            tau += (0.01 + 0.1 * qc[k]) * (1 + g);
            tc[k] += dt * 1e-4 * exp(-tau / z);
        }
    }
}

static double save[128];

static void convection(int j, int i, double *tc, double *qc, double dt)
{
    int k, it;
    for (k = 0; k < km; k++) save[k] = tc[k];
    for (it = 0; it < 3; it++)
        for (k = 1; k < km; k++) {
            double d = save[k] - save[k - 1];
            if (d < 0) {
                tc[k] -= 0.5 * d * dt;
                tc[k - 1] += 0.5 * d * dt;
                qc[k] *= 0.999;
            }
        }
    (void)j;
    (void)i;
}

static void condensation(int j, int i, double *tc, double *qc, double dt)
{
    int k;
    for (k = 0; k < km; k++) {
        double qs = 0.02 * exp(0.06 * tc[k]);
        if (qc[k] > qs) {
            tc[k] += 2.5 * (qc[k] - qs) * dt;
            qc[k] -= (qc[k] - qs) * dt;
        }
    }
    (void)j;
    (void)i;
}

PhysProc physics[] = {radiation, convection, condensation, NULL};

void to_columns(void)
{
    int i, j, k;
#pragma omp parallel for private(i, k)
    for (j = 1; j <= jm; j++)
        for (i = 1; i <= im; i++)
            for (k = 0; k < km; k++) {
                colT[C3(j, i, k)] = t.a[X3(k, j, i)];
                colQ[C3(j, i, k)] = q.a[X3(k, j, i)];
            }
}

void from_columns(void)
{
    int i, j, k, ii, ie;
#pragma omp parallel for private(i, k, ii, ie)
    for (j = 1; j <= jm; j++)
        for (ii = 1; ii <= im; ii += 8) {
            ie = ii + 8 <= im + 1 ? ii + 8 : im + 1;
            for (k = 0; k < km; k++)
                for (i = ii; i < ie; i++) {
                    t.a[X3(k, j, i)] = colT[C3(j, i, k)];
                    q.a[X3(k, j, i)] = colQ[C3(j, i, k)];
                }
        }
}

void run_physics(double dt)
{
    int i, j, p;
    to_columns();
    for (p = 0; physics[p]; p++) {
#pragma omp parallel for private(i) schedule(dynamic)
        for (j = 1; j <= jm; j++)
            for (i = 1; i <= im; i++)
                physics[p](j, i, colT + C3(j, i, 0), colQ + C3(j, i, 0), dt);
    }
    from_columns();
}

/* bucket model */
void surface(double dt)
{
    int l, n = im * jm;
#pragma omp parallel for schedule(dynamic)
    for (l = 0; l < n; l++) {
        Surface *s = sfc + l;
        s->tsurf += dt * 0.01 * (colT[(size_t)l * km] - s->tsurf);
        s->soil[0] += dt * (s->soil[1] - s->soil[0]);
        s->soil[1] += dt * (s->soil[2] - s->soil[1]);
        if (s->tsurf < 0 && s->type == 1) s->snow += dt * 1e-3;
        s->runoff = s->soil[0] > 1.0 ? s->soil[0] - 1.0 : 0.0;
        s->soil[0] -= s->runoff;
    }
}

void sun(double hour)
{
    int i, j;
    for (i = 1; i <= im; i++) {
        double c = cos(2 * M_PI * ((double)i / im + hour / 24.0));
        for (j = 1; j <= jm; j++)
            cosz[X2(j, i)] = c * sin(M_PI * (myrank * jm + j - 0.5) / (jm * nprocs));
    }
}
