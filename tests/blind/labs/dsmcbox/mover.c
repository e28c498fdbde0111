#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include "dsmc.h"

static void fill_species(box *b)
{
    static const double m[NSPEC] = {6.63e-26, 4.65e-26, 3.35e-27}, d[NSPEC] = {4.17e-10, 4.17e-10, 2.33e-10};
    static const char *nm[NSPEC] = {"Ar", "N2", "He"};
    for (int s = 0; s < NSPEC; s++) {
        strncpy(b->sp[s].name, nm[s], 3);
        b->sp[s].mass = m[s];
        b->sp[s].dref = d[s];
        b->sp[s].omega = 0.75;
        b->sp[s].tref = 273.0;
        b->sp[s].dof = s == 1 ? 2 : 0;
        b->sp[s].zrot = 5.0;
    }
    for (int s = 0; s < NSPEC; s++)
        for (int t = 0; t < NSPEC; t++) {
            double dm = 0.5 * (b->sp[t].dref + b->sp[s].dref);
            b->sig[t][s] = M_PI * dm * dm;
        }
}

void init_box(box *b, long npercell)
{
    b->ncell = (long)b->nx * b->ny * b->nz;
    b->n = b->ncell * npercell;
    b->cap = b->n * 2 + 1000;
    b->p = malloc(b->cap * sizeof *b->p);
    b->tmp = malloc(b->cap * sizeof *b->tmp);
    b->perm = malloc(b->cap * sizeof(int));
    b->ev = malloc(b->cap * sizeof *b->ev);
    b->count = calloc(b->ncell + 1, sizeof(int));
    b->start = calloc(b->ncell + 1, sizeof(int));
    b->vrmax = malloc(b->ncell * sizeof(double));
    b->rem = calloc(b->ncell, sizeof(double));
    b->drag = malloc(b->ncell * sizeof(double));
    for (int m = 0; m < NMOM; m++) {
        b->mom[m] = malloc(b->ncell * sizeof(double));
        b->avg[m] = malloc(b->ncell * sizeof(double));
    }
    for (int m = 0; m < NMOM; m++)
#pragma omp parallel for schedule(static)
        for (long c = 0; c < b->ncell; c++)
            b->mom[m][c] = b->avg[m][c] = 0.0;
    b->wall = calloc((size_t)b->nx * b->ny, sizeof(double));
    b->vdf = calloc((size_t)NV * NV, sizeof(double));
    b->rho = grid3(b->nz + 2, b->ny + 2, b->nx + 2);
    b->rhs = grid3(b->nz + 2, b->ny + 2, b->nx + 2);
    fill_species(b);
    for (int t = 0; t < RNG_MAXT; t++)
        b->rng[t].s = 12345u + 7919u * (unsigned)(t + RNG_MAXT * b->rank);
    for (int i = 0; i < b->nx; i++)
        for (int j = 0; j < b->ny; j++)
            for (int k = 0; k < b->nz; k++)
                b->vrmax[CELL(b, i, j, k)] = 600.0 + 2.0 * k;
    for (int i = 0; i < b->nx; i++)
        for (int j = 0; j < b->ny; j++)
            for (int k = 0; k < b->nz; k++)
                b->drag[ZCELL(b, i, j, k)] = exp(-0.1 * k);
    for (long q = 0; q < b->n; q++) {
        particle *p = &b->p[q];
        double u = rng_u(&b->rng[0]);
        memset(p, 0, sizeof *p);
        p->x[0] = b->x0 + b->lx * u * u;
        p->x[1] = b->ly * rng_u(&b->rng[0]);
        p->x[2] = b->lz * rng_u(&b->rng[0]);
        p->spec = (int)(q % NSPEC);
        p->id = q + (long)b->rank * 1000000000L;
        double c = sqrt(1.38e-23 * 300.0 / b->sp[p->spec].mass);
        for (int d = 0; d < 3; d++)
            p->v[d] = c * rng_gauss(&b->rng[0]) + (d == 0 ? 100.0 : 0.0);
        p->erot = 1.38e-23 * 300.0;
    }
}

static inline void bounce(box *b, particle *p, int d, double len)
{
    if (p->x[d] < 0.0) {
        p->x[d] = -p->x[d];
        p->v[d] = -p->v[d];
        p->hits[d]++;
        if (d == 2) {
            int ix = (int)((p->x[0] - b->x0) / b->h), iy = (int)(p->x[1] / b->h);
            if (ix >= 0 && ix < b->nx && iy >= 0 && iy < b->ny) {
#pragma omp atomic
                b->wall[(long)iy * b->nx + ix] += p->v[2] * p->v[2];
            }
        }
    } else if (p->x[d] > len) {
        p->x[d] = 2.0 * len - p->x[d];
        p->v[d] = -p->v[d];
    }
}

void move_all(box *b)
{
    const double dt = b->dt;
#pragma omp parallel for schedule(static)
    for (long q = 0; q < b->n; q++) {
        particle *p = &b->p[q];
        for (int d = 0; d < 3; d++)
            p->x[d] += dt * p->v[d];
        bounce(b, p, 1, b->ly);
        bounce(b, p, 2, b->lz);
        p->path += dt * fabs(p->v[0]);
    }
}

/* Drag of the background on the particles of every cell; the field itself
 * diffuses along z and is stored that way. */
void fly_field(box *b)
{
    const int nz = b->nz;
#pragma omp parallel
    {
#pragma omp for collapse(2) schedule(static)
        for (int i = 0; i < b->nx; i++)
            for (int j = 0; j < b->ny; j++) {
                double *f = b->drag + ZCELL(b, i, j, 0);
                double prev = f[0];
                for (int k = 1; k < nz - 1; k++) {
                    double old = f[k];
                    f[k] += 0.1 * (prev - 2.0 * old + f[k + 1]);
                    prev = old;
                }
            }
#pragma omp for schedule(static) nowait
        for (long c = 0; c < b->ncell; c++) {
            int i = (int)(c % b->nx), j = (int)(c / b->nx % b->ny), k = (int)(c / ((long)b->nx * b->ny));
            double f = 1.0 - 1e-4 * b->drag[ZCELL(b, i, j, k)];
            for (int s = b->start[c]; s < b->start[c + 1]; s++)
                b->p[b->perm[s]].v[0] *= f;
        }
    }
}
