#include <math.h>
#include <stdio.h>
#include <string.h>
#include "pic.h"

static unsigned long long rng_state;

static double rnd(void)
{
    rng_state = rng_state*6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(rng_state >> 11)/9007199254740992.0;
}

static double gauss(double s)
{
    double a = rnd(), b = rnd();
    return s*sqrt(-2.0*log(a + 1e-300))*cos(2.0*M_PI*b);
}

void pic_alloc(pic_t *s)
{
    size_t n = (size_t)NX*NY;
    double **g[] = { &s->rho, &s->jx, &s->jy, &s->phi, &s->ex, &s->ey, &s->wk, &s->tr };
    for (unsigned q = 0; q < sizeof g/sizeof *g; q++) {
        if (posix_memalign((void **)g[q], 64, n*sizeof(double))) MPI_Abort(s->comm, 1);
        memset(*g[q], 0, n*sizeof(double));
    }
    int nt = omp_get_max_threads();
    s->priv = malloc(nt*n*sizeof(double));
    s->npc = calloc(n, sizeof(int));
    s->cellptr = calloc(n + 1, sizeof(int));
    s->p   = malloc(s->np*sizeof(part_t));
    s->tmp = malloc(s->np*sizeof(part_t));
}

void pic_free(pic_t *s)
{
    free(s->rho); free(s->jx); free(s->jy); free(s->phi); free(s->ex);
    free(s->ey); free(s->wk); free(s->tr); free(s->priv); free(s->npc);
    free(s->cellptr); free(s->p); free(s->tmp);
}

/* two counter-streaming beams and a neutralising background */
void pic_load(pic_t *s)
{
    int k = 0;
    rng_state = 88172645463325252ULL + 7919ULL*s->rank;
    for (int q = 0; q < s->nsp; q++)
        for (int n = 0; n < s->sp[q].np && k < s->np; n++, k++) {
            part_t *p = &s->p[k];
            p->alive = 1;
            p->sp = q;
            p->tag = 0;
            p->x = s->lx*rnd();
            p->y = s->ly*rnd();
            p->vx = s->sp[q].drift + gauss(s->sp[q].vth);
            p->vy = gauss(s->sp[q].vth);
            p->vz = gauss(s->sp[q].vth);
            p->w = 1.0f;
            p->e = 0.0;
            p->cell = 0;
        }
    s->np = k;
}
