#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include "dsmc.h"

static inline int clampi(int v, int n) { return v < 0 ? 0 : (v >= n ? n - 1 : v); }

double ***grid3(int nz, int ny, int nx)
{
    double ***g = malloc(nz * sizeof *g);
    double *d = calloc((size_t)nz * ny * nx, sizeof *d);
    for (int k = 0; k < nz; k++) {
        g[k] = malloc(ny * sizeof **g);
        for (int j = 0; j < ny; j++)
            g[k][j] = d + ((size_t)k * ny + j) * nx;
    }
    return g;
}

void index_particles(box *b)
{
    const double r = 1.0 / b->h;
#pragma omp parallel for schedule(static)
    for (long q = 0; q < b->n; q++) {
        const double *x = b->p[q].x;
        int i = clampi((int)((x[0] - b->x0) * r), b->nx);
        int j = clampi((int)(x[1] * r), b->ny);
        int k = clampi((int)(x[2] * r), b->nz);
        b->p[q].cell = (int)CELL(b, i, j, k);
    }
}

/* counting sort: perm lists the particles cell by cell */
void sort_particles(box *b)
{
    memset(b->count, 0, (b->ncell + 1) * sizeof(int));
    for (long q = 0; q < b->n; q++)
        b->count[b->p[q].cell]++;
    b->start[0] = 0;
    for (long c = 0; c < b->ncell; c++)
        b->start[c + 1] = b->start[c] + b->count[c];
    memcpy(b->count, b->start, b->ncell * sizeof(int));
    for (long q = 0; q < b->n; q++)
        b->perm[b->count[b->p[q].cell]++] = (int)q;
}

/* visit the cells slab by slab from the inlet on */
void for_cells(box *b, void (*fn)(box *, long, void *), void *arg)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < b->nx; i++)
        for (int j = 0; j < b->ny; j++)
            for (int k = 0; k < b->nz; k++)
                fn(b, CELL(b, i, j, k), arg);
}
