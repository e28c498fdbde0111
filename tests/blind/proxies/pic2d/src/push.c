#include <math.h>
#include "pic.h"

#define BZ 0.05

void push(pic_t *s)
{
    const double dt = s->dt;
    #pragma omp parallel for
    for (int k = 0; k < s->np; k++) {
        part_t *p = &s->p[k];
        tstat_t *st = &s->stat[omp_get_thread_num()];
        if (!p->alive || !s->sp[p->sp].mobile) continue;
        double qm = s->sp[p->sp].q/s->sp[p->sp].m;
        double fx = p->x/s->dx, fy = p->y/s->dy;
        int i = (int)fx, j = (int)fy;
        if (i > NX - 2) i = NX - 2;
        if (j > NY - 2) j = NY - 2;
        double ax = fx - i, ay = fy - j;
        double ex = (1-ax)*((1-ay)*s->ex[AT(i,j)] + ay*s->ex[AT(i,j+1)]) + ax*((1-ay)*s->ex[AT(i+1,j)] + ay*s->ex[AT(i+1,j+1)]);
        double ey = (1-ax)*((1-ay)*s->ey[AT(i,j)] + ay*s->ey[AT(i,j+1)]) + ax*((1-ay)*s->ey[AT(i+1,j)] + ay*s->ey[AT(i+1,j+1)]);
        /* Boris */
        double h = 0.5*dt*qm, t = h*BZ, f = 2.0*t/(1.0 + t*t);
        double ux = p->vx + h*ex, uy = p->vy + h*ey;
        double wx = ux + uy*t, wy = uy - ux*t;
        ux += f*wy; uy -= f*wx;
        p->vx = ux + h*ex;
        p->vy = uy + h*ey;
        p->x += dt*p->vx;
        p->y += dt*p->vy;
        if (p->x < 0.0) { p->x += s->lx; st->nwrap++; }
        else if (p->x >= s->lx) { p->x -= s->lx; st->nwrap++; }
        if (p->y < 0.0) { p->y += s->ly; st->nwrap++; }
        else if (p->y >= s->ly) { p->y -= s->ly; st->nwrap++; }
        p->e = 0.5*s->sp[p->sp].m*(p->vx*p->vx + p->vy*p->vy + p->vz*p->vz);
        st->npush++;
        if (p->e > st->emax) st->emax = p->e;
    }
}
