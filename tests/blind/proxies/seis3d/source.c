#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include "seis.h"

static float ricker(float t, float f0)
{
    float a = (float)M_PI*f0*(t - 1.2f/f0);
    a *= a;
    return (1.f - 2.f*a)*expf(-a);
}

void add_source(grid_t *g, const topo_t *t, int it)
{
    int i = g->NX/2 - g->gx0, j = g->NY/2 - g->gy0, k = PAD + g->nz/2;
    (void)t;
    if (i < 0 || i >= g->nx || j < 0 || j >= g->ny) return;
    float s = 1e6f*ricker(it*g->dt, 6.f);
    for (int di = -1; di <= 1; di++)
        for (int dk = -1; dk <= 1; dk++)
            for (int dj = -1; dj <= 1; dj++) {
                size_t n = IX(g, PAD+i+di, PAD+j+dj, k+dk);
                float w = s/(1.f + abs(di) + abs(dj) + abs(dk));
                g->txx[n] += w; g->tyy[n] += w; g->tzz[n] += w;
            }
}

int locate_receivers(const grid_t *g, receiver_t *r, int nr)
{
    int mine = 0;
    for (int q = 0; q < nr; q++) {
        int gi = (int)(r[q].x/g->h), gj = (int)(r[q].y/g->h);
        r[q].i = r[q].j = r[q].k = -1;
        if (gi >= g->gx0 && gi < g->gx0 + g->nx && gj >= g->gy0 && gj < g->gy0 + g->ny) {
            r[q].i = gi - g->gx0 + PAD;
            r[q].j = gj - g->gy0 + PAD;
            r[q].k = PAD;
            mine++;
        }
    }
    return mine;
}

/* one sample per receiver and step; rank 0 keeps the traces */
void sample_receivers(const grid_t *g, const topo_t *t, const receiver_t *r, int nr, float *trace)
{
    float *loc = malloc(nr*sizeof(float));
    for (int q = 0; q < nr; q++) {
        loc[q] = 0.f;
        if (r[q].i < 0) continue;
        size_t n = IX(g, r[q].i, r[q].j, r[q].k);
        loc[q] = r[q].comp == 0 ? g->vx[n] : r[q].comp == 1 ? g->vy[n] : g->vz[n];
    }
    if (t->rank == 0) {
        float *tmp = malloc(nr*sizeof(float));
        for (int q = 0; q < nr; q++) trace[q] = loc[q];
        for (int p = 1; p < t->size; p++) {
            MPI_Recv(tmp, nr, MPI_FLOAT, p, 300, t->comm, MPI_STATUS_IGNORE);
            for (int q = 0; q < nr; q++) trace[q] += tmp[q];
        }
        free(tmp);
    } else
        MPI_Send(loc, nr, MPI_FLOAT, 0, 300, t->comm);
    free(loc);
}
