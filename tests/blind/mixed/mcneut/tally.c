#include "mc.h"
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#define NC ((long)MX * MY * MZ)

double tal_norm(H h) {
  struct sim *s = S(h);
  double t = 0;
#pragma omp parallel for reduction(+ : t)
  FOR(c, NC)
    FOR(g, NG) t += TALLY(s->flux, c, g);
  return t;
}

double tal_leak(H h) {
  struct sim *s = S(h);
  double t = 0;
#pragma omp parallel for reduction(+ : t) schedule(static)
  FOR(c, NC)
    FOR(g, NG) t += fabs(CURR(s->curr, c, g));
  return t;
}

/* spectrum by groups */
void tal_spectrum(H h, double *sp) {
  struct sim *s = S(h);
#pragma omp parallel for
  FOR(g, NG) {
    double a = 0;
    FOR(c, NC) a += TALLY(s->flux, c, g);
    sp[g] = a;
  }
}

/* smoothing of the total flux on the mesh */
void tal_smooth(H h, int n) {
  struct sim *s = S(h);
  double *f = s->smooth, *g = s->work;
  FOR(it, n) {
    com_halo(h, f, 0);
#pragma omp parallel
    {
#pragma omp for
      for (long k = 1; k < MZ - 1; k++)
        for (long i = 1; i < MX - 1; i++)
          for (long j = 1; j < MY - 1; j++)
            g[IDX(i, j, k)] = 0.5 * f[IDX(i, j, k)] + 0.125 * (f[IDX(i - 1, j, k)] + f[IDX(i + 1, j, k)] + f[IDX(i, j - 1, k)] + f[IDX(i, j + 1, k)]);
#pragma omp for
      for (long k = 1; k < MZ - 1; k++)
        for (long j = 1; j < MY - 1; j++)
          for (long i = 1; i < MX - 1; i++) f[IDX(i, j, k)] = g[IDX(i, j, k)];
    }
  }
}

/* power iteration on the fission matrix, adjoint */
void tal_matrix(H h) {
  struct sim *s = S(h);
  double y[NREG];
  FOR(i, NREG) FM(s->fm, i, (i * 7) % NREG) += 1e-3;
  FOR(it, 4) {
#pragma omp parallel for
    FOR(j, NREG) {
      double a = 0;
      FOR(i, NREG) a += FM(s->fm, i, j) * (1 + s->fv[i]);
      y[j] = a;
    }
    FOR(j, NREG) s->fv[j] = 1e-3 * y[j];
  }
  FOR(i, NREG)
    FOR(j, i) {
      double a = 0.5 * (FM(s->fm, i, j) + FM(s->fm, j, i));
      FM(s->fm, i, j) = FM(s->fm, j, i) = a;
    }
}

double tal_response(H h) {
  struct sim *s = S(h);
  double t = 0;
#pragma omp parallel for reduction(+ : t)
  FOR(r, LDT) {
    double a = 0;
    FOR(d, 256) a += RESP(s->resp, r, d) * s->flux[d];
    t += a * a;
  }
  return t;
}
