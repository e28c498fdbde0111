#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dsmc.h"

/* moments of the present step, particles are listed by cell */
void sample_cells(box *b)
{
    double *restrict n = b->mom[0], *restrict e = b->mom[4];
#pragma omp parallel for schedule(dynamic, 256)
    for (long c = 0; c < b->ncell; c++) {
        double s[NMOM] = {0};
        for (int t = b->start[c]; t < b->start[c + 1]; t++) {
            const particle *p = &b->p[b->perm[t]];
            s[0] += 1.0;
            for (int d = 0; d < 3; d++)
                s[1 + d] += p->v[d];
            s[4] += p->v[0] * p->v[0] + p->v[1] * p->v[1] + p->v[2] * p->v[2];
        }
        n[c] = s[0];
        for (int d = 1; d < 4; d++)
            b->mom[d][c] = s[d];
        e[c] = s[4];
    }
}

void average_cells(box *b, double w)
{
    for (int m = 0; m < NMOM; m++) {
        double *a = b->avg[m];
        const double *s = b->mom[m];
#pragma omp parallel for collapse(2) schedule(static)
        for (int j = 0; j < b->ny; j++)
            for (int i = 0; i < b->nx; i++)
                for (int k = 0; k < b->nz; k++) {
                    long c = CELL(b, i, j, k);
                    a[c] += w * (s[c] - a[c]);
                }
    }
}

static void load_density(box *b)
{
    const double r = 1.0 / (b->h * b->h * b->h);
#pragma omp parallel for schedule(static)
    for (int k = 1; k <= b->nz; k++)
        for (int j = 1; j <= b->ny; j++) {
            const double *a = b->avg[0] + CELL(b, 0, j - 1, k - 1);
            double *t = b->rho[k][j] + 1;
            for (int i = 0; i < b->nx; i++)
                t[i] = r * a[i];
        }
}

static void mirror_faces(box *b, double ***g)
{
    for (int k = 1; k <= b->nz; k++)
        memcpy(g[k][0], g[k][1], (b->nx + 2) * sizeof(double)), memcpy(g[k][b->ny + 1], g[k][b->ny], (b->nx + 2) * sizeof(double));
    for (int j = 0; j < b->ny + 2; j++) {
        memcpy(g[0][j], g[1][j], (b->nx + 2) * sizeof(double));
        memcpy(g[b->nz + 1][j], g[b->nz][j], (b->nx + 2) * sizeof(double));
    }
}

/* damped Jacobi on the density, in the end rho holds the smooth field */
void smooth_density(box *b, int sweeps)
{
    load_density(b);
    ghost_x(b, b->rho);
    mirror_faces(b, b->rho);
    for (int s = 0; s < sweeps; s++) {
        double ***a = b->rho, ***t = b->rhs;
        for (int k = 1; k <= b->nz; k++) {
#pragma omp parallel for schedule(static)
            for (int j = 1; j <= b->ny; j++)
                for (int i = 1; i <= b->nx; i++)
                    t[k][j][i] = a[k][j][i - 1] + a[k][j][i + 1] + a[k][j - 1][i] + a[k][j + 1][i] + a[k - 1][j][i] +
                                 a[k + 1][j][i];
        }
#pragma omp parallel for schedule(static)
        for (int i = 1; i <= b->nx; i++)
            for (int j = 1; j <= b->ny; j++) {
                double ***q = a;
                for (int k = 1; k <= b->nz; k++)
                    q[k][j][i] = 0.4 * q[k][j][i] + 0.1 * t[k][j][i];
            }
        mirror_faces(b, b->rho);
        ghost_x(b, b->rho);
    }
}

static double local_gradient(box *b, int i, int j, int k)
{
    double ***r = b->rho;
    return fabs(r[k][j][i + 1] - r[k][j][i - 1]) + fabs(r[k][j + 1][i] - r[k][j - 1][i]) + fabs(r[k + 1][j][i] - r[k - 1][j][i]);
}

static void relax_vrmax(box *b, long c, void *arg)
{
    const double *f = arg;
    b->vrmax[c] = fmax(300.0, b->vrmax[c] * f[0] + f[1] * b->avg[4][c] / (1.0 + b->avg[0][c]) * 1e-4);
}

void update_vrmax(box *b)
{
    double f[2] = {0.999, 1e-3};
    ghost_x(b, b->rho);
    for_cells(b, relax_vrmax, f);
#pragma omp parallel for collapse(2) schedule(static)
    for (int k = 1; k <= b->nz; k++)
        for (int j = 1; j <= b->ny; j++)
            for (int i = 1; i <= b->nx; i++) {
                double gr = local_gradient(b, i, j, k);
                if (gr > 2.0 * b->rho[k][j][i])
                    b->vrmax[CELL(b, i - 1, j - 1, k - 1)] *= 1.001;
            }
}

/* distribution in the (vx, vy) plane with a fading memory */
void velocity_plane(box *b)
{
    const int nt = omp_get_max_threads();
    const long nb = (long)NV * NV;
    double *part = calloc((size_t)nt * nb, sizeof(double));
#pragma omp parallel
    {
        double *mine = part + omp_get_thread_num() * nb;
#pragma omp for schedule(static)
        for (long q = 0; q < b->n; q++) {
            int i = (int)(NV * (0.5 + b->p[q].v[0] * 2e-4)), j = (int)(NV * (0.5 + b->p[q].v[1] * 2e-4));
            if (i >= 0 && i < NV && j >= 0 && j < NV)
                mine[(long)i * NV + j] += 1.0;
        }
#pragma omp barrier
#pragma omp for schedule(static)
        for (int j = 0; j < NV; j++) {
            double *v = b->vdf + j;
            for (int i = 0; i < NV; i++, v += NV)
                *v *= 0.99;
        }
#pragma omp for schedule(static)
        for (long x = 0; x < nb; x++) {
            double s = 0.0;
            for (int t = 0; t < nt; t++)
                s += part[t * nb + x];
            b->vdf[x] += 0.01 * s;
        }
    }
    free(part);
}

void wall_decay(box *b, double f)
{
    double *w = b->wall;
    for (int ix = 0; ix < b->nx; ix++) {
        const double edge = (ix == 0 || ix == b->nx - 1) ? 0.5 : 1.0;
        for (int iy = 0; iy < b->ny; iy++) {
            w[(long)iy * b->nx + ix] *= f * edge;
            if (w[(long)iy * b->nx + ix] < 1e-30)
                w[(long)iy * b->nx + ix] = 0.0;
        }
    }
}

void conserve(box *b, double *out)
{
    double loc[NMOM];
    for (int m = 0; m < NMOM; m++) {
        double s = 0.0;
        const double *a = b->mom[m];
        for (long c = 0; c < b->ncell; c++)
            s += a[c];
        loc[m] = s;
    }
    for (int m = 0; m < NMOM; m++)
        MPI_Allreduce(&loc[m], &out[m], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void dump_slice(box *b, const char *file)
{
    int k = b->nz / 2, n = b->nx * b->ny;
    double *all = NULL, *buf = malloc(n * sizeof *buf);
    for (int i = 0; i < b->nx; i++)
        for (int j = 0; j < b->ny; j++)
            buf[i * b->ny + j] = b->avg[0][CELL(b, i, j, k)];
    if (b->rank == 0)
        all = malloc((size_t)n * b->np * sizeof *all);
    MPI_Gather(buf, n, MPI_DOUBLE, all, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (b->rank == 0) {
        FILE *f = fopen(file, "wb");
        if (f) {
            fwrite(all, sizeof *all, (size_t)n * b->np, f);
            fclose(f);
        }
        free(all);
    }
    free(buf);
}
