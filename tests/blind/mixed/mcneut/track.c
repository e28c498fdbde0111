#include "mc.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>

static long where(const part_t *p) {
  long i = (long)p->x, j = (long)p->y, k = (long)p->z;
  if (i < 0 || j < 0 || k < 0 || i >= MX || j >= MY || k >= MZ) return -1;
  return IDX(i, j, k);
}

static int group(double e) { return (int)MIN(NG - 1, MAX(0, log(e * 1e3) * 2)); }

static void turn(part_t *p, rng_t *r) {
  double mu = 2 * rnd(r) - 1, ph = 6.2831853 * rnd(r), q = sqrt(1 - mu * mu);
  p->u = q * cos(ph);
  p->v = q * sin(ph);
  p->w = mu;
}

/* one history to its end */
static void history(struct sim *s, part_t *p, int t, int gen) {
  rng_t *r = &s->rng[t];
  while (p->alive) {
    double fi, ab, st = xs_total(s, p->cell, p->e, &fi, &ab);
    double d = -log(rnd(r) + 1e-12) / st;
    p->x += d * p->u; p->y += d * p->v; p->z += d * p->w;
    long c = where(p);
    if (c < 0) { p->alive = 0; break; }
    p->cell = (int)c;
    int g = group(p->e);
    TALLY(s->flux, c, g) += p->wt * d;
#pragma omp atomic
    CURR(s->curr, c, g) += p->wt * p->w;
    s->ncol[t]++;
    p->ncol++;
    if (rnd(r) < fi / st * 0.3) {
#pragma omp critical(bank)
      {
        if (s->nsite < s->maxsite) {
          site_t *q = &s->site[s->nsite++];
          q->used = 1; q->kind = 0; q->flag = 0; q->gen = (short)gen;
          q->x = p->x; q->y = p->y; q->z = p->z; q->e = 2.0;
        }
      }
    }
    if (rnd(r) < ab / st) { p->alive = 0; break; }
    p->e = MAX(1e-3, p->e * (0.3 + 0.7 * rnd(r)));
    turn(p, r);
  }
}

void track_all(H h, int gen) {
  struct sim *s = S(h);
#pragma omp parallel
  {
    int t = omp_get_thread_num();
#pragma omp for schedule(dynamic, 32)
    FOR(n, s->npart) history(s, &s->p[n], t, gen);
  }
}

/* event by event for the first collisions, in small batches */
void track_events(H h, int nev) {
  struct sim *s = S(h);
  FOR(ev, nev) {
    for (long b = 0; b < s->npart; b += 64) {
#pragma omp parallel for
      for (long n = b; n < MIN(b + 64, s->npart); n++) {
        part_t *p = &s->p[n];
        if (!p->alive) continue;
        p->x += 0.01 * p->u; p->y += 0.01 * p->v; p->z += 0.01 * p->w;
        p->t += 0.01;
      }
    }
  }
#pragma omp parallel
  FOR(ev, nev) {
#pragma omp for schedule(static)
    FOR(n, s->npart) {
      part_t *p = &s->p[n];
      p->wt = MAX(0.5, p->wt * 0.999);
    }
#pragma omp barrier
  }
#pragma omp parallel
  {
    rng_t *r = &s->rng[omp_get_thread_num()];
#pragma omp for schedule(dynamic, 256) nowait
    FOR(n, s->npart) {
      if (s->p[n].wt < 0.4 && rnd(r) < 0.5) s->p[n].alive = 0;
      long c = where(&s->p[n]);
      if (c < 0) s->p[n].alive = 0;
      else s->p[n].cell = (int)c;
    }
  }
}
