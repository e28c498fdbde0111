#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include "dgeuler.h"

static omp_lock_t tlock;
static int have_lock = 0;

static double elem_mean(const block_t *b, int v, int e)
{
    double s = 0.0;
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) s += 0.25 * Wq[i] * Wq[j] * b->q[IX(b, v, e, j * N + i)];
    return s;
}

void averages(void)
{
    for (int m = 0; m < nblk; m++) {
        block_t *b = blk + m;
        for (int v = 0; v < NV; v++)
            FOR_ROWS(b, ex, ey) b->bar[v][ey][ex] = elem_mean(b, v, ELEM(b, ex, ey));
    }
}

static double minmod3(double a, double b, double c)
{
    if (a * b <= 0.0 || a * c <= 0.0) return 0.0;
    double s = a > 0 ? 1.0 : -1.0;
    return s * fmin(fabs(a), fmin(fabs(b), fabs(c)));
}

/* squeeze the nodes of e towards the mean */
static void squeeze(block_t *b, int e, double th)
{
    const int ex = e % b->nex, ey = e / b->nex;
    for (int v = 0; v < NV; v++) {
        const double m = b->bar[v][ey][ex];
        double *q = b->q + IX(b, v, e, 0);
        for (int n = 0; n < NN; n++) q[n] = m + th * (q[n] - m);
    }
}

void limiter(void)
{
    if (!have_lock) { omp_init_lock(&tlock); have_lock = 1; }
    exchange_bar();
    for (int m = 0; m < nblk; m++) {
        block_t *b = blk + m;
        double **r = b->bar[0];
        b->ntrouble = 0;
#pragma omp parallel for
        for (int ex = 0; ex < b->nex; ex++)
            for (int ey = 0; ey < b->ney; ey++) {
                const int up = (ey + 1) % b->ney, dn = (ey + b->ney - 1) % b->ney;
                const double *q = b->q + IX(b, 0, ELEM(b, ex, ey), 0);
                const double dx = q[2 * N + N - 1] - q[2 * N], dy = q[(N - 1) * N + 2] - q[2];
                const double lx = minmod3(dx, 2 * (r[ey][ex + 1] - r[ey][ex]), 2 * (r[ey][ex] - r[ey][ex - 1]));
                const double ly = minmod3(dy, 2 * (r[up][ex] - r[ey][ex]), 2 * (r[ey][ex] - r[dn][ex]));
                omp_set_lock(&tlock);
                if (fabs(lx - dx) + fabs(ly - dy) > 0.01 * r[ey][ex]) b->trouble[b->ntrouble++] = ELEM(b, ex, ey);
                omp_unset_lock(&tlock);
            }
#pragma omp parallel for schedule(dynamic, 16) if (b->ntrouble > 64)
        for (int k = 0; k < b->ntrouble; k++) squeeze(b, b->trouble[k], 0.7);
    }
}

/* density stays positive; neighbours' means as the lower bound, ghosts from limiter() */
void positivity(void)
{
    for (int m = 0; m < nblk; m++) {
        block_t *b = blk + m;
        for (int ey = 0; ey < b->ney; ey++) {
#pragma omp parallel for
            for (int ex = 0; ex < b->nex; ex++) {
                const int e = ELEM(b, ex, ey);
                const double *q = b->q + IX(b, 0, e, 0), lo = 0.1 * fmin(b->bar[0][ey][ex - 1], b->bar[0][ey][ex + 1]);
                double qm = q[0];
                for (int n = 1; n < NN; n++) qm = fmin(qm, q[n]);
                if (qm < lo) squeeze(b, e, 0.5);
            }
        }
    }
}

/* cell vorticity from the averaged velocities */
void vorticity(void)
{
    for (int m = 0; m < nblk; m++) {
        block_t *b = blk + m;
        double **r = b->bar[0], **mx = b->bar[1], **my = b->bar[2];
        FOR_COLS(b, ex, ey) {
            const int up = (ey + 1) % b->ney, dn = (ey + b->ney - 1) % b->ney;
            b->vort[ey * b->nex + ex] = (my[ey][ex + 1] / r[ey][ex + 1] - my[ey][ex - 1] / r[ey][ex - 1]) / (2 * b->dx)
                                      - (mx[up][ex] / r[up][ex] - mx[dn][ex] / r[dn][ex]) / (2 * b->dy);
        }
    }
}
