#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "seis.h"

static float *falloc(size_t n)
{
    float *p = calloc(n, sizeof(float));
    if (!p) { fprintf(stderr, "out of memory\n"); MPI_Abort(MPI_COMM_WORLD, 2); }
    return p;
}

void grid_alloc(grid_t *g)
{
    g->mx = g->nx + 2*PAD;
    g->my = g->ny + 2*PAD;
    g->mz = g->nz + 2*PAD;
    g->n  = (size_t)g->mx*g->my*g->mz;
    g->vx = falloc(g->n);  g->vy = falloc(g->n);  g->vz = falloc(g->n);
    g->txx = falloc(g->n); g->tyy = falloc(g->n); g->tzz = falloc(g->n);
    g->txy = falloc(g->n); g->txz = falloc(g->n); g->tyz = falloc(g->n);
    for (int m = 0; m < NMECH; m++) g->r[m] = falloc(g->n);
    g->damp = falloc(g->n);
    g->surf = falloc((size_t)g->mx*g->my);
    g->mat  = malloc(g->n*sizeof(material_t));
}

void grid_free(grid_t *g)
{
    free(g->vx); free(g->vy); free(g->vz);
    free(g->txx); free(g->tyy); free(g->tzz);
    free(g->txy); free(g->txz); free(g->tyz);
    for (int m = 0; m < NMECH; m++) free(g->r[m]);
    free(g->damp); free(g->surf); free(g->mat);
}

static float layer_vp(float depth)
{
    static const float top[5] = { 0.f, 300.f, 900.f, 1800.f, 1e9f };
    static const float vp[4]  = { 1800.f, 2600.f, 3900.f, 5200.f };
    for (int l = 0; l < 4; l++)
        if (depth < top[l+1]) return vp[l] + 0.2f*(depth - top[l]);
    return vp[3];
}

/* layered model with a soft basin in the middle; called once */
void grid_model(grid_t *g)
{
    for (int k = 0; k < g->mz; k++) {
        float depth = g->h*(k - PAD);
        float vp = layer_vp(depth);
        for (int i = 0; i < g->mx; i++)
            for (int j = 0; j < g->my; j++) {
                material_t *m = &g->mat[IX(g,i,j,k)];
                float dx = (float)(g->gx0 + i - PAD - g->NX/2)/g->NX;
                float dy = (float)(g->gy0 + j - PAD - g->NY/2)/g->NY;
                float v = vp;
                if (depth < 250.f && dx*dx + dy*dy < 0.05f) v *= 0.6f;
                m->vp = v;
                m->vs = v/1.9f;
                m->rho = 310.f*powf(v, 0.25f)*3.2f;
                m->qp = 90.f; m->qs = 45.f;
                m->mu = m->rho*m->vs*m->vs;
                m->lam = m->rho*v*v - 2.f*m->mu;
                m->buoy = 1.f/m->rho;
            }
    }

    for (int i = 0; i < g->mx; i++) {
        int gi = g->gx0 + i - PAD;
        for (int j = 0; j < g->my; j++) {
            int gj = g->gy0 + j - PAD;
            for (int k = 0; k < g->mz; k++) {
                int d = NABS, dd;
                dd = gi;                 if (dd < d) d = dd;
                dd = g->NX - 1 - gi;     if (dd < d) d = dd;
                dd = gj;                 if (dd < d) d = dd;
                dd = g->NY - 1 - gj;     if (dd < d) d = dd;
                dd = g->nz - 1 - (k-PAD); if (dd < d) d = dd;
                if (d < 0) d = 0;
                float a = 0.015f*(NABS - d);
                g->damp[IX(g,i,j,k)] = expf(-a*a);
            }
        }
    }
}
