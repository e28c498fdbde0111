#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include "pic.h"

static double linear(double d)
{
    d = fabs(d);
    return d < 1.0 ? 1.0 - d : 0.0;
}

ShapeFn shape = linear;

void gather_fields(Species *s)
{
    int k;
#pragma omp parallel for schedule(static)
    for (k = 0; k < s->n; k++) {
        Particle *p = s->p + k;
        int i = (int)floor(p->x), j = (int)p->y, a, b;
        double fx = 0.0, fy = 0.0;
        for (a = 0; a < 2; a++)
            for (b = 0; b < 2; b++) {
                double w = shape(p->x - (i + a)) * shape(p->y - (j + b));
                fx += w * ex[ND(i + a, j + b)];
                fy += w * ey[ND(i + a, j + b)];
            }
        p->ex = fx;
        p->ey = fy;
    }
}

/* Boris, magnetic field along z */
void push(Species *s, double dt)
{
    const double qm = s->q / s->m, t = 0.5 * qm * in.b0 * dt, sn = 2 * t / (1 + t * t);
    int k;
#pragma omp parallel for schedule(guided)
    for (k = 0; k < s->n; k++) {
        Particle *p = s->p + k;
        double ux = p->vx + 0.5 * qm * dt * p->ex, uy = p->vy + 0.5 * qm * dt * p->ey;
        double wx = ux + uy * t, wy = uy - ux * t;
        ux += wy * sn;
        uy -= wx * sn;
        p->vx = ux + 0.5 * qm * dt * p->ex;
        p->vy = uy + 0.5 * qm * dt * p->ey;
        p->x += dt * p->vx;
        p->y += dt * p->vy;
        if (p->y < 0) { p->y = -p->y; p->vy = -p->vy; }
        if (p->y >= ny) { p->y = 2 * ny - 1e-9 - p->y; p->vy = -p->vy; }
    }
}

static unsigned seed[64];

/* scattering off the background */
void collide(Species *s, double nu)
{
    int k;
#pragma omp parallel
    {
        int me = omp_get_thread_num();
        if (!seed[me]) seed[me] = 1234 + 77 * me;
#pragma omp for
        for (k = 0; k < s->n; k++) {
            Particle *p = s->p + k;
            if (rand_r(&seed[me]) < nu * RAND_MAX) {
                double v = sqrt(p->vx * p->vx + p->vy * p->vy);
                double a = 2 * M_PI * rand_r(&seed[me]) / (double)RAND_MAX;
                p->vx = v * cos(a);
                p->vy = v * sin(a);
            }
        }
    }
}

/* counting sort by cell */
void sort_cells(Species *s)
{
    static int *cnt;
    static Particle *buf;
    int k, c, nc = nx * ny;
    if (!cnt) cnt = malloc((nc + 1) * sizeof(int));
    buf = realloc(buf, s->max * sizeof(Particle));
    memset(cnt, 0, (nc + 1) * sizeof(int));
    for (k = 0; k < s->n; k++) {
        Particle *p = s->p + k;
        int i = (int)p->x, j = (int)p->y;
        p->cell = i * ny + j;
        cnt[p->cell + 1]++;
    }
    for (c = 0; c < nc; c++) cnt[c + 1] += cnt[c];
    for (k = 0; k < s->n; k++) buf[cnt[s->p[k].cell]++] = s->p[k];
    memcpy(s->p, buf, s->n * sizeof(Particle));
}

/* particles in the limiter are taken out */
int absorb(Species *s)
{
    int k, n = 0;
#pragma omp parallel for schedule(static)
    for (k = 0; k < s->n; k++) {
        Particle *p = s->p + k;
        double dx = p->x - 0.5 * nx, dy = p->y - 0.1 * ny;
        if (dx * dx + dy * dy < 1.0 && p->alive) {
#pragma omp critical(absorb)
            {
                p->alive = 0;
                n++;
            }
        }
    }
    return n;
}
