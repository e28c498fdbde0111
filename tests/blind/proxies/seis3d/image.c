#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "seis.h"

static float ***cube(int nx, int ny, int nz)
{
    float ***a = malloc(nx*sizeof *a);
    float **r = malloc((size_t)nx*ny*sizeof *r);
    float *d = calloc((size_t)nx*ny*nz, sizeof *d);
    for (int i = 0; i < nx; i++) {
        a[i] = r + (size_t)i*ny;
        for (int j = 0; j < ny; j++) a[i][j] = d + ((size_t)i*ny + j)*nz;
    }
    return a;
}

void image_alloc(image_t *m, const grid_t *g, int nsnap)
{
    memset(m, 0, sizeof *m);
    m->nsnap = nsnap;
    m->n = (size_t)g->nx*g->ny*g->nz;
    m->src = malloc(nsnap*m->n*sizeof(float));
    m->rcv = malloc(nsnap*m->n*sizeof(float));
    m->img = calloc(m->n, sizeof(float));
    m->lap = calloc(m->n, sizeof(float));
    m->slice = calloc(m->n, sizeof(float));
    m->illum = cube(g->nx, g->ny, g->nz);
}

void image_free(image_t *m, const grid_t *g)
{
    (void)g;
    free(m->src); free(m->rcv); free(m->img); free(m->lap); free(m->slice);
    free(m->illum[0][0]); free(m->illum[0]); free(m->illum);
}

/* interior of vz and of the pressure, without ghosts */
void image_store(image_t *m, const grid_t *g)
{
    if (m->have == m->nsnap) return;
    float *s = m->src + m->have*m->n, *r = m->rcv + m->have*m->n;
    size_t q = 0;
    for (int i = 0; i < g->nx; i++)
        for (int j = 0; j < g->ny; j++)
            for (int k = 0; k < g->nz; k++, q++) {
                size_t n = IX(g, i+PAD, j+PAD, k+PAD);
                s[q] = 1e3f*g->vz[n];
                r[q] = (g->txx[n] + g->tyy[n] + g->tzz[n])/3.f;
            }
    m->have++;
}

/* zero-lag correlation of the stored fields */
static void correlate(image_t *m)
{
    for (size_t q = 0; q < m->n; q++) {
        float s = 0.f;
        for (int t = 0; t < m->nsnap; t++)
            s += m->src[t*m->n + q]*m->rcv[t*m->n + q];
        m->img[q] = s;
    }
}

static void illuminate(image_t *m, const grid_t *g)
{
    for (int t = 0; t < m->nsnap; t++) {
        const float *s = m->src + t*m->n;
        for (int k = 0; k < g->nz; k++)
            for (int j = 0; j < g->ny; j++)
                for (int i = 0; i < g->nx; i++) {
                    float v = s[((size_t)i*g->ny + j)*g->nz + k];
                    m->illum[i][j][k] += v*v;
                }
    }
    for (int i = 0; i < g->nx; i++)
        for (int j = 0; j < g->ny; j++)
            for (int k = 0; k < g->nz; k++)
                m->img[((size_t)i*g->ny + j)*g->nz + k] /= m->illum[i][j][k] + 1e-12f;
}

/* deeper reflections are weaker: gain with depth, one factor per level */
static void depth_gain(float *a, const grid_t *g)
{
    for (int k = 0; k < g->nz; k++) {
        const float f = powf(1.f + k*g->h/1000.f, 1.5f);
        float *p = a + k;
        for (int c = 0; c < g->nx*g->ny; c++, p += g->nz) *p *= f;
    }
}

static void laplace(const image_t *m, const grid_t *g)
{
    const size_t sy = g->nz, sx = (size_t)g->ny*g->nz;
    for (int i = 1; i < g->nx - 1; i++)
        for (int j = 1; j < g->ny - 1; j++) {
            const float *a = m->img + i*sx + j*sy;
            float *b = m->lap + i*sx + j*sy;
            for (int k = 1; k < g->nz - 1; k++)
                b[k] = a[k+1] + a[k-1] + a[k+sy] + a[k-sy] + a[k+sx] + a[k-sx] - 6.f*a[k];
        }
}

/* depth slices, as the plotting program wants them */
static void to_slices(const image_t *m, const grid_t *g)
{
    const int nc = g->nx*g->ny;
    for (int c = 0; c < nc; c++)
        for (int k = 0; k < g->nz; k++)
            m->slice[(size_t)k*nc + c] = m->lap[(size_t)c*g->nz + k];
}

double image_apply(image_t *m, const grid_t *g)
{
    double p = 0;
    correlate(m);
    illuminate(m, g);
    depth_gain(m->img, g);
    laplace(m, g);
    to_slices(m, g);
    for (size_t q = 0; q < m->n; q++) p = fmax(p, fabs(m->slice[q]));
    m->have = 0;
    return p;
}
