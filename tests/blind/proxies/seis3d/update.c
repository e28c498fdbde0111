#include <math.h>
#include "seis.h"

/* v += dt/rho div(tau) */
void update_velocity(grid_t *g)
{
    const size_t sy = g->mz, sx = (size_t)g->my*g->mz;
    const float c = g->dt/g->h;
    const material_t *mat = g->mat;

    for (int i = PAD; i < g->nx + PAD; i++)
        for (int j = PAD; j < g->ny + PAD; j++) {
            size_t n = IX(g, i, j, PAD);
            for (int k = 0; k < g->nz; k++, n++) {
                float b = c*mat[n].buoy;
                g->vx[n] += b*(C1*(g->txx[n+sx] - g->txx[n])     + C2*(g->txx[n+2*sx] - g->txx[n-sx])
                             + C1*(g->txy[n] - g->txy[n-sy])     + C2*(g->txy[n+sy] - g->txy[n-2*sy])
                             + C1*(g->txz[n] - g->txz[n-1])      + C2*(g->txz[n+1] - g->txz[n-2]));
                g->vy[n] += b*(C1*(g->txy[n] - g->txy[n-sx])     + C2*(g->txy[n+sx] - g->txy[n-2*sx])
                             + C1*(g->tyy[n+sy] - g->tyy[n])     + C2*(g->tyy[n+2*sy] - g->tyy[n-sy])
                             + C1*(g->tyz[n] - g->tyz[n-1])      + C2*(g->tyz[n+1] - g->tyz[n-2]));
                g->vz[n] += b*(C1*(g->txz[n] - g->txz[n-sx])     + C2*(g->txz[n+sx] - g->txz[n-2*sx])
                             + C1*(g->tyz[n] - g->tyz[n-sy])     + C2*(g->tyz[n+sy] - g->tyz[n-2*sy])
                             + C1*(g->tzz[n+1] - g->tzz[n])      + C2*(g->tzz[n+2] - g->tzz[n-1]));
            }
        }
}

void update_normal_stress(grid_t *g)
{
    const size_t sy = g->mz, sx = (size_t)g->my*g->mz;
    const float c = g->dt/g->h;
    int i, j, k;

    for (k = PAD; k < g->nz + PAD; k++)
        for (j = PAD; j < g->ny + PAD; j++)
            for (i = PAD; i < g->nx + PAD; i++) {
                size_t n = IX(g, i, j, k);
                float exx = C1*(g->vx[n] - g->vx[n-sx]) + C2*(g->vx[n+sx] - g->vx[n-2*sx]);
                float eyy = C1*(g->vy[n] - g->vy[n-sy]) + C2*(g->vy[n+sy] - g->vy[n-2*sy]);
                float ezz = C1*(g->vz[n] - g->vz[n-1])  + C2*(g->vz[n+1] - g->vz[n-2]);
                float lam = g->mat[n].lam, mu2 = 2.f*g->mat[n].mu;
                float tr = lam*(exx + eyy + ezz);
                g->txx[n] += c*(tr + mu2*exx);
                g->tyy[n] += c*(tr + mu2*eyy);
                g->tzz[n] += c*(tr + mu2*ezz);
            }
}

static inline float havg(float a, float b) { return 2.f*a*b/(a + b + 1e-20f); }

void update_shear_stress(grid_t *g)
{
    const size_t sy = g->mz, sx = (size_t)g->my*g->mz;
    const float c = g->dt/g->h;
    const float *restrict vx = g->vx, *restrict vy = g->vy, *restrict vz = g->vz;
    float *restrict txy = g->txy, *restrict txz = g->txz, *restrict tyz = g->tyz;

    for (int i = PAD; i < g->nx + PAD; i++)
        for (int j = PAD; j < g->ny + PAD; j++)
            for (int k = PAD; k < g->nz + PAD; k++) {
                size_t n = IX(g, i, j, k);
                float m  = g->mat[n].mu;
                float mxy = havg(m, g->mat[n+sx].mu), mxz = havg(m, g->mat[n+1].mu), myz = havg(m, g->mat[n+sy].mu);
                txy[n] += c*mxy*(C1*(vy[n+sx] - vy[n]) + C2*(vy[n+2*sx] - vy[n-sx])
                               + C1*(vx[n+sy] - vx[n]) + C2*(vx[n+2*sy] - vx[n-sy]));
                txz[n] += c*mxz*(C1*(vz[n+sx] - vz[n]) + C2*(vz[n+2*sx] - vz[n-sx])
                               + C1*(vx[n+1] - vx[n])  + C2*(vx[n+2] - vx[n-1]));
                tyz[n] += c*myz*(C1*(vz[n+sy] - vz[n]) + C2*(vz[n+2*sy] - vz[n-sy])
                               + C1*(vy[n+1] - vy[n])  + C2*(vy[n+2] - vy[n-1]));
            }
}

/* anelastic memory variables, one field per mechanism */
void relax_memory(grid_t *g)
{
    static const float w[NMECH] = { 0.02f, 0.2f, 2.0f };
    for (int i = PAD; i < g->nx + PAD; i++)
        for (int j = PAD; j < g->ny + PAD; j++)
            for (int k = PAD; k < g->nz + PAD; k++) {
                size_t n = IX(g, i, j, k);
                float p = (g->txx[n] + g->tyy[n] + g->tzz[n])*(1.f/3.f), s = 0.f;
                for (int m = 0; m < NMECH; m++) {
                    float a = w[m]*g->dt;
                    g->r[m][n] = (1.f - a)*g->r[m][n] + a*p;
                    s += g->r[m][n];
                }
                s *= 1e-4f;
                g->txx[n] -= s; g->tyy[n] -= s; g->tzz[n] -= s;
            }
}

static void damp3(float *a, float *b, float *c, const float *d, size_t n)
{
    a[n] *= d[n]; b[n] *= d[n]; c[n] *= d[n];
}

/* Cerjan sponge: only the strips are touched */
void apply_sponge(grid_t *g, const topo_t *t)
{
    int i, j, k;
    if (t->west == MPI_PROC_NULL)
        for (j = PAD; j < g->ny + PAD; j++)
            for (k = PAD; k < g->nz + PAD; k++)
                for (i = PAD; i < NABS + PAD; i++)
                    damp3(g->vx, g->vy, g->vz, g->damp, IX(g,i,j,k));
    if (t->east == MPI_PROC_NULL)
        for (i = g->nx + PAD - NABS; i < g->nx + PAD; i++)
            for (j = PAD; j < g->ny + PAD; j++)
                for (k = PAD; k < g->nz + PAD; k++)
                    damp3(g->vx, g->vy, g->vz, g->damp, IX(g,i,j,k));
    if (t->south == MPI_PROC_NULL)
        for (j = PAD; j < NABS + PAD; j++)
            for (i = PAD; i < g->nx + PAD; i++)
                for (k = PAD; k < g->nz + PAD; k++)
                    damp3(g->vx, g->vy, g->vz, g->damp, IX(g,i,j,k));
    if (t->north == MPI_PROC_NULL)
        for (i = PAD; i < g->nx + PAD; i++)
            for (j = g->ny + PAD - NABS; j < g->ny + PAD; j++)
                for (k = PAD; k < g->nz + PAD; k++)
                    damp3(g->vx, g->vy, g->vz, g->damp, IX(g,i,j,k));
    for (i = PAD; i < g->nx + PAD; i++)
        for (j = PAD; j < g->ny + PAD; j++)
            for (k = g->nz + PAD - NABS; k < g->nz + PAD; k++)
                damp3(g->vx, g->vy, g->vz, g->damp, IX(g,i,j,k));
}

/* stress imaging at z = 0 */
void free_surface(grid_t *g)
{
    for (int i = PAD; i < g->nx + PAD; i++)
        for (int j = PAD; j < g->ny + PAD; j++) {
            size_t n = IX(g, i, j, PAD);
            g->tzz[n] = 0.f;
            g->tzz[n-1] = -g->tzz[n+1];
            g->txz[n-1] = -g->txz[n];   g->txz[n-2] = -g->txz[n+1];
            g->tyz[n-1] = -g->tyz[n];   g->tyz[n-2] = -g->tyz[n+1];
        }
}

void track_pgv(grid_t *g)
{
    for (int j = PAD; j < g->ny + PAD; j++)
        for (int i = PAD; i < g->nx + PAD; i++) {
            size_t n = IX(g, i, j, PAD);
            float v = g->vx[n]*g->vx[n] + g->vy[n]*g->vy[n] + g->vz[n]*g->vz[n];
            if (v > g->surf[i*g->my + j]) g->surf[i*g->my + j] = v;
        }
}
