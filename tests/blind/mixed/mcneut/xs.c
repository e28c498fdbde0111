#include "mc.h"
#include <math.h>
#include <stdlib.h>

/* pointwise data and multigroup table */
void xs_make(H h) {
  struct sim *s = S(h);
  FOR(i, NISO) {
    s->grid[i] = malloc(NE * sizeof(gp_t));
    FOR(n, NE) {
      gp_t *g = &s->grid[i][n];
      g->e = 1e-3 * exp(n * 0.008);
      g->tot = 1 + 0.2 * sin(0.01 * n * (i + 1));
      g->el = 0.6 * g->tot;
      g->ab = 0.3 * g->tot;
      g->fi = i % 4 ? 0 : 0.12 * g->tot;
      g->nu = 2.4;
    }
  }
  FOR(c, (long)MX * MY * MZ)
    FOR(i, NISO) s->dens[c * NISO + i] = 0.01 * (1 + (c + i) % 5);
}

static long find(const gp_t *g, double e) {
  long a = 0, b = NE - 1;
  while (b - a > 1) {
    long m = (a + b) / 2;
    if (g[m].e > e) b = m;
    else a = m;
  }
  return a;
}

double xs_total(H h, long c, double e, double *fi, double *ab) {
  struct sim *s = S(h);
  double t = 0, f = 0, a = 0;
  FOR(i, NISO) {
    const gp_t *g = s->grid[i] + find(s->grid[i], e);
    double w = s->dens[c * NISO + i], x = (e - g[0].e) / (g[1].e - g[0].e);
    t += w * (g[0].tot + x * (g[1].tot - g[0].tot));
    f += w * (g[0].fi + x * (g[1].fi - g[0].fi)) * g[0].nu;
    a += w * (g[0].ab + x * (g[1].ab - g[0].ab));
  }
  *fi = f;
  *ab = a;
  return t;
}

/* group constants with the last spectrum; every generation */
void xs_collapse(H h) {
  struct sim *s = S(h);
#pragma omp parallel for
  FOR(g, NG)
    FOR(i, NISO) {
      double t[NCH] = {0};
      for (long n = g * (NE / NG); n < (g + 1) * (NE / NG); n++) {
        const gp_t *q = &s->grid[i][n];
        t[0] += q->tot; t[1] += q->el; t[2] += q->ab; t[3] += q->fi;
      }
      FOR(k, NCH) XSG(s->mgx, i, k, g) = t[k];
    }
}

double xs_sum(H h) {
  struct sim *s = S(h);
  double r = 0;
#pragma omp parallel for reduction(+ : r)
  FOR(g, NG)
    FOR(k, NCH)
      FOR(i, NISO) r += XSG(s->mgx, i, k, g);
  return r;
}
