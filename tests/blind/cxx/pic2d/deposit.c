#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include "pic.h"

DepositFn deposit_table[] = {deposit_shared, deposit_private, NULL};

void clear_rho(void)
{
    memset(rho, 0, NNODE * sizeof(double));
}

void deposit_shared(const Species *s)
{
    int k;
#pragma omp parallel for schedule(static)
    for (k = 0; k < s->n; k++) {
        const Particle *p = s->p + k;
        int i = (int)p->x, j = (int)p->y;
        double fx = p->x - i, fy = p->y - j, w = s->q * p->weight * p->alive;
        rho[ND(i, j)] += w * (1 - fx) * (1 - fy);
        rho[ND(i, j + 1)] += w * (1 - fx) * fy;
        rho[ND(i + 1, j)] += w * fx * (1 - fy);
        rho[ND(i + 1, j + 1)] += w * fx * fy;
    }
}

void deposit_private(const Species *s)
{
    const size_t n = NNODE;
    const int nt = omp_get_max_threads();
    double *all = calloc(nt * n, sizeof(double));
#pragma omp parallel
    {
        double *my = all + omp_get_thread_num() * n;
        int k;
        long l;
#pragma omp for schedule(static)
        for (k = 0; k < s->n; k++) {
            const Particle *p = s->p + k;
            int i = (int)p->x, j = (int)p->y;
            double fx = p->x - i, fy = p->y - j, w = s->q * p->weight * p->alive;
            my[ND(i, j)] += w * (1 - fx) * (1 - fy);
            my[ND(i, j + 1)] += w * (1 - fx) * fy;
            my[ND(i + 1, j)] += w * fx * (1 - fy);
            my[ND(i + 1, j + 1)] += w * fx * fy;
        }
#pragma omp for schedule(static)
        for (l = 0; l < (long)n; l++) {
            double r = 0.0;
            for (int t = 0; t < nt; t++) r += all[t * n + l];
            rho[l] += r;
        }
    }
    free(all);
}

/* 1-2-1 along y, then along x */
void smooth_rho(int passes)
{
    int i, j, m;
    for (m = 0; m < passes; m++) {
        guard_copy(rho);
#pragma omp parallel private(i, j)
        {
#pragma omp for
            for (i = 0; i < nx; i++)
                for (j = 0; j <= ny; j++)
                    tmp[ND(i, j)] = 0.25 * (rho[ND(i - 1, j)] + 2 * rho[ND(i, j)] + rho[ND(i + 1, j)]);
#pragma omp barrier
#pragma omp for
            for (j = 0; j <= ny; j++)
                for (i = 0; i < nx; i++)
                    rho[ND(i, j)] = 0.25 * (tmp[ND(i, j > 0 ? j - 1 : 0)] + 2 * tmp[ND(i, j)] +
                                            tmp[ND(i, j < ny ? j + 1 : ny)]);
        }
    }
}
