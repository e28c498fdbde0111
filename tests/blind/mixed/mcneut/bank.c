#include "mc.h"
#include <stdlib.h>
#include <string.h>
#include <omp.h>

H mc_new(long n, int me, int np, int nth) {
  struct sim *s = calloc(1, sizeof *s);
  size_t nc = (size_t)MX * MY * MZ;
  s->me = me; s->np = np; s->nth = nth; s->npart = n; s->maxsite = 4 * n; s->keff = 1;
  s->mgx = calloc((size_t)NISO * NCH * NG, sizeof(double));
  s->dens = malloc(nc * NISO * sizeof(double));
  s->flux = malloc(nc * NG * sizeof(double));
  s->curr = malloc(nc * NG * sizeof(double));
  s->smooth = malloc(nc * sizeof(double));
  s->work = malloc(nc * sizeof(double));
  memset(s->flux, 0, nc * NG * sizeof(double));
#pragma omp parallel for schedule(static)
  FOR(c, (long)nc) {
    FOR(g, NG) CURR(s->curr, c, g) = 0;
    s->smooth[c] = s->work[c] = 0;
  }
  s->resp = calloc((size_t)LDT * 256, sizeof(double));
  s->fm = calloc((size_t)NREG * NREG, sizeof(double));
  s->fv = calloc(NREG, sizeof(double));
  s->p = malloc(n * sizeof(part_t));
  s->site = malloc(s->maxsite * sizeof(site_t));
  s->in = malloc(s->maxsite * sizeof(site_t));
  s->rng = calloc(nth, sizeof(rng_t));
  s->ncol = calloc(nth, sizeof(uint64_t));
  FOR(t, nth) s->rng[t].s = 12345 + 7919 * t + 104729 * me;
  FOR(d, 256)
    FOR(r, LDT) RESP(s->resp, r, d) = 1.0 / (1 + r + d);
  memset(s->site, 0, s->maxsite * sizeof(site_t));
  return s;
}

void mc_free(H h) {
  struct sim *s = S(h);
  FOR(i, NISO) free(s->grid[i]);
  free(s->mgx); free(s->dens); free(s->flux); free(s->curr); free(s->smooth); free(s->work);
  free(s->resp); free(s->fm); free(s->fv); free(s->p); free(s->site); free(s->in);
  free(s->rng); free(s->ncol); free(s);
}

void bank_start(H h, int gen) {
  struct sim *s = S(h);
#pragma omp parallel for schedule(static)
  FOR(n, s->npart) {
    part_t *p = &s->p[n];
    const site_t *q = s->nsite ? &s->site[n % s->nsite] : NULL;
    p->x = q ? q->x : MX / 2.0 + n % 17 - 8;
    p->y = q ? q->y : MY / 2.0 + n % 13 - 6;
    p->z = q ? q->z : MZ / 2.0;
    p->u = 0.6; p->v = n & 1 ? 0.64 : -0.64; p->w = 0.48;
    p->e = 2; p->wt = 1; p->t = 0; p->alive = 1; p->ncol = 0; p->gen = gen;
    p->cell = (int)IDX((long)p->x, (long)p->y, (long)p->z);
  }
  s->nsite = 0;
}

long bank_alive(H h) {
  struct sim *s = S(h);
  long a = 0;
#pragma omp parallel for reduction(+ : a)
  FOR(n, s->npart) a += s->p[n].alive;
  return a;
}
