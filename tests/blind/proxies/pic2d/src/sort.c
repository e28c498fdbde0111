#include <math.h>
#include <string.h>
#include "pic.h"

/* counting sort by cell, keeps the gathers local */
void sort_cells(pic_t *s)
{
    const int n = NX*NY;
    #pragma omp parallel for
    for (int k = 0; k < s->np; k++) {
        int i = (int)(s->p[k].x/s->dx), j = (int)(s->p[k].y/s->dy);
        if (i >= NX) i = NX - 1;
        if (j >= NY) j = NY - 1;
        s->p[k].cell = AT(i,j);
    }
    memset(s->cellptr, 0, (n + 1)*sizeof(int));
    for (int k = 0; k < s->np; k++)
        s->cellptr[s->p[k].cell + 1]++;
    for (int c = 0; c < n; c++)
        s->cellptr[c+1] += s->cellptr[c];
    int *pos = malloc(n*sizeof(int));
    memcpy(pos, s->cellptr, n*sizeof(int));
    for (int k = 0; k < s->np; k++)
        s->tmp[pos[s->p[k].cell]++] = s->p[k];
    free(pos);
    part_t *t = s->p; s->p = s->tmp; s->tmp = t;
}

/* binary scattering of neighbours in a cell */
void collide(pic_t *s)
{
    #pragma omp parallel for schedule(dynamic,64)
    for (int c = 0; c < NX*NY; c++) {
        int a = s->cellptr[c], b = s->cellptr[c+1];
        for (int k = a; k + 1 < b; k += 2) {
            part_t *p = &s->p[k], *q = &s->p[k+1];
            if (p->sp != q->sp) continue;
            double gx = p->vx - q->vx, gy = p->vy - q->vy, gz = p->vz - q->vz;
            double g = sqrt(gx*gx + gy*gy + gz*gz);
            double cs = cos(1e-3*g), sn = sin(1e-3*g);
            double mx = 0.5*(p->vx + q->vx), my = 0.5*(p->vy + q->vy);
            double hx = 0.5*(cs*gx - sn*gy), hy = 0.5*(sn*gx + cs*gy);
            p->vx = mx + hx; q->vx = mx - hx;
            p->vy = my + hy; q->vy = my - hy;
        }
    }
}
