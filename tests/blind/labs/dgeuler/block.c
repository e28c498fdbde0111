#include <math.h>
#include <stdlib.h>
#include "dgeuler.h"

int nblk, rank, nrank, left, right;
block_t *blk;

double **alloc2d(int nr, int nc)
{
    double **a = malloc(nr * sizeof *a);
    a[0] = calloc((size_t)nr * nc, sizeof **a);
    for (int r = 1; r < nr; r++) a[r] = a[0] + (size_t)r * nc;
    return a;
}

/* vortex in a stream with a dense stripe */
static void state(double x, double y, double *u)
{
    double dx = x - 0.5 * floor(x / 0.5) - 0.25, dy = y - 0.5;
    double r2 = dx * dx + dy * dy, f = 0.4 * exp(-30.0 * r2);
    double rho = 1.0 + 0.3 * exp(-200.0 * (y - 0.3) * (y - 0.3));
    double vx = 0.3 - 4.0 * f * dy, vy = 4.0 * f * dx, p = 1.0 - 0.1 * f;
    u[0] = rho; u[1] = rho * vx; u[2] = rho * vy;
    u[3] = p / (GAM - 1.0) + 0.5 * rho * (vx * vx + vy * vy);
}

void blocks_init(int nb, int nex, int ney)
{
    nblk = nb;
    left = (rank + nrank - 1) % nrank;
    right = (rank + 1) % nrank;
    blk = calloc(nb, sizeof *blk);
    for (int m = 0; m < nb; m++) {
        block_t *b = blk + m;
        size_t len;
        b->nex = nex; b->ney = ney; b->ne = nex * ney;
        b->x0 = 0.5 * (rank * nb + m);
        b->dx = 0.5 / nex; b->dy = 1.0 / ney;
        len = (size_t)NV * b->ne * NN;
        b->q = malloc(len * sizeof(double));
        b->res = malloc(len * sizeof(double));
        b->rhs = malloc(len * sizeof(double));
        b->vort = calloc(b->ne, sizeof(double));
        b->order = malloc(b->ne * sizeof(int));
        b->trouble = malloc(b->ne * sizeof(int));
        for (int s = 0; s < 2; s++) {
            b->gh[s] = calloc(NV * ney * N, sizeof(double));
            b->sb[s] = calloc(NV * ney * N, sizeof(double));
        }
        b->bar = malloc(NV * sizeof *b->bar);
        for (int v = 0; v < NV; v++) {
            b->bar[v] = alloc2d(ney, nex + 2);
            for (int r = 0; r < ney; r++) b->bar[v][r]++;
        }
#pragma omp parallel for schedule(static)
        for (int e = 0; e < b->ne; e++) {
            double u[NV];
            for (int j = 0; j < N; j++)
                for (int i = 0; i < N; i++) {
                    state(b->x0 + (e % nex + 0.5 * (1 + Xq[i])) * b->dx, (e / nex + 0.5 * (1 + Xq[j])) * b->dy, u);
                    for (int v = 0; v < NV; v++) {
                        b->q[IX(b, v, e, j * N + i)] = u[v];
                        b->res[IX(b, v, e, j * N + i)] = 0.0;
                        b->rhs[IX(b, v, e, j * N + i)] = 0.0;
                    }
                }
        }
        /* checkerboard order of the elements */
        int c = 0;
        for (int p = 0; p < 2; p++)
            for (int e = 0; e < b->ne; e++)
                if (((e % nex + e / nex) & 1) == p) b->order[c++] = e;
    }
}
