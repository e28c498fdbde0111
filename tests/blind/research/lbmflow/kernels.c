#include "lbm.h"
#include <omp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const int CV[NQ][3] = {
  {0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}, {1, 1, 0}, {-1, -1, 0}, {1, -1, 0},
  {-1, 1, 0}, {1, 0, 1}, {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1}, {0, 1, 1}, {0, -1, -1}, {0, 1, -1}, {0, -1, 1} };
#define W1 (1.0 / 18)
#define W2 (1.0 / 36)
const real WT[NQ] = { 1.0 / 3, W1, W1, W1, W1, W1, W1, W2, W2, W2, W2, W2, W2, W2, W2, W2, W2, W2, W2 };
int OPP[NQ];

void tables_init(void) {
  for (int q = 0; q < NQ; q++)
    for (int r = 0; r < NQ; r++) {
      int hit = 1;
      for (int d = 0; d < 3; d++) hit &= CV[r][d] == -CV[q][d];
      if (hit) OPP[q] = r;
    }
}
/* density and momentum of one row along z */
static void row_moments(const real *restrict f, size_t vol, int nz,
                        real *restrict r, real *restrict a, real *restrict b, real *restrict c) {
  for (int k = 0; k < nz; k++) r[k] = a[k] = b[k] = c[k] = 0;
  for (int q = 0; q < NQ; q++, f += vol) {
    const real ex = CV[q][0], ey = CV[q][1], ez = CV[q][2];
    for (int k = 0; k < nz; k++) {
      r[k] += f[k], a[k] += ex * f[k];
      b[k] += ey * f[k], c[k] += ez * f[k];
    }
  }
}

void moments(lattice_t *L) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int i = GH; i < L->nx - GH; i++)
    for (int j = 0; j < L->ny; j++) {
      size_t s = SITE(L, i, j, 0);
      row_moments(L->f + s, L->vol, L->nz, L->rho + s, L->ux + s, L->uy + s, L->uz + s);
      for (int k = 0; k < L->nz; k++) {
        real w = L->tag[s + k] ? 0.0 : 1.0 / L->rho[s + k];
        L->ux[s + k] *= w, L->uy[s + k] *= w, L->uz[s + k] *= w;
      }
    }
}

static void relax_row(const real *restrict fq, real *restrict gq, const real *restrict m, int nz,
                      real w, real ex, real ey, real ez, real F) {
  const real *r = m, *a = m + nz, *b = m + 2 * nz, *c = m + 3 * nz, *om = m + 4 * nz;
  for (int k = 0; k < nz; k++) {
    real cu = 3 * (ex * a[k] + ey * b[k] + ez * c[k]);
    real uu = a[k] * a[k] + b[k] * b[k] + c[k] * c[k];
    real eq = w * r[k] * (1 + cu + 0.5 * cu * cu - 1.5 * uu);
    gq[k] = fq[k] - om[k] * (fq[k] - eq) + 3 * w * r[k] * ex * F;
  }
}

void collide(lattice_t *L, const params_t *p) {
  const int nz = L->nz;
  const real nu0 = (p->tau - 0.5) / 3;
#pragma omp parallel
  {
    real *m = malloc(5 * nz * sizeof *m);
#pragma omp for collapse(2) schedule(static)
    for (int i = GH; i < L->nx - GH; i++)
      for (int j = 0; j < L->ny; j++) {
        const size_t s = SITE(L, i, j, 0);
        row_moments(L->f + s, L->vol, nz, m, m + nz, m + 2 * nz, m + 3 * nz);
        for (int k = 0; k < nz; k++) {
          real inv = 1 / m[k];
          m[nz + k] *= inv, m[2 * nz + k] *= inv, m[3 * nz + k] *= inv;
          m[4 * nz + k] = 1 / (3 * (nu0 + L->nut[s + k]) + 0.5);
        }
        for (int q = 0; q < NQ; q++)
          relax_row(L->f + q * L->vol + s, L->g + q * L->vol + s, m, nz, WT[q],
                    CV[q][0], CV[q][1], CV[q][2], p->force);
      }
    free(m);
  }
}

void stream_planes(lattice_t *L, int i0, int i1) {
  const int ny = L->ny, nz = L->nz;
#pragma omp parallel
  for (int q = 0; q < NQ; q++) {
    const int ex = CV[q][0], ey = CV[q][1], ez = CV[q][2], ja = ey > 0, jb = ny - (ey < 0);
#pragma omp for collapse(2) schedule(static) nowait
    for (int i = i0; i < i1; i++)
      for (int j = ja; j < jb; j++) {
        const real *src = L->g + POP(L, q, i - ex, j - ey, 0);
        real *dst = L->f + POP(L, q, i, j, 0);
        memcpy(dst + (ez > 0), src + (ez < 0), (nz - (ez != 0)) * sizeof *dst);
      }
  }
}

void bounce_back(lattice_t *L, const linklist_t *ll) {
#pragma omp parallel for schedule(static)
  for (int n = 0; n < ll->n; n++) {
    const link_t *l = ll->v + n;
    L->f[l->q * L->vol + l->from] = L->g[OPP[l->q] * L->vol + l->from] + 6 * WT[l->q] * l->wallvel;
  }
}

static inline real du(const lattice_t *L, const real *u, int d, int i, int j, int k) {
  switch (d) {
  case 0:  return 0.5 * (u[SITE(L, i + 1, j, k)] - u[SITE(L, i - 1, j, k)]);
  case 1:  return 0.5 * (u[SITE(L, i, j + 1, k)] - u[SITE(L, i, j - 1, k)]);
  default: return 0.5 * (u[SITE(L, i, j, k + 1)] - u[SITE(L, i, j, k - 1)]);
  }
}

void smagorinsky(lattice_t *L, real cs) {
#pragma omp parallel for schedule(static)
  for (int i = GH; i < L->nx - GH; i++)
    for (int k = 1; k < L->nz - 1; k++)
      for (int j = 1; j < L->ny - 1; j++) {
        const size_t s = SITE(L, i, j, k);
        L->nut[s] = 0;
        if (L->tag[s]) continue;
        real sxx = du(L, L->ux, 0, i, j, k), syy = du(L, L->uy, 1, i, j, k), szz = du(L, L->uz, 2, i, j, k);
        real sxy = 0.5 * (du(L, L->ux, 1, i, j, k) + du(L, L->uy, 0, i, j, k));
        real sxz = 0.5 * (du(L, L->ux, 2, i, j, k) + du(L, L->uz, 0, i, j, k));
        real syz = 0.5 * (du(L, L->uy, 2, i, j, k) + du(L, L->uz, 1, i, j, k));
        real s2 = sxx * sxx + syy * syy + szz * szz + 2 * (sxy * sxy + sxz * sxz + syz * syz);
        L->nut[s] = cs * cs * sqrt(2 * s2);
      }
}

void pressure_gradient(lattice_t *L) {
  const size_t sx = L->plane, sy = L->nz;
  const real *r = L->rho;
#pragma omp parallel for schedule(static)
  for (int k = 1; k < L->nz - 1; k++)
    for (int j = 1; j < L->ny - 1; j++) {
      size_t s = GH * sx + j * sy + k;
      for (int i = GH; i < L->nx - GH; i++, s += sx) {
        L->gradp[0][s] = (r[s + sx] - r[s - sx]) / 6;
        L->gradp[1][s] = (r[s + sy] - r[s - sy]) / 6;
        L->gradp[2][s] = (r[s + 1] - r[s - 1]) / 6;
      }
    }
}
/* damp waves near the end of the pipe */
void sponge(lattice_t *L, int width) {
  const int nz = L->nz;
  int a = L->gx - width - L->x0 + GH, b = L->gx - L->x0 + GH;
  if (a < GH) a = GH;
  if (b > L->nx - GH) b = L->nx - GH;
#pragma omp parallel for schedule(static)
  for (int i = a; i < b; i++) {
    real w = 0.02 * (i - a + 1) / width;
    for (int q = 0; q < NQ; q++) {
      real *fq = &L->f[POP(L, q, i, 0, 0)];
      int k = 0;
      while (k < nz) {
        for (int j = 0; j < L->ny; ++j)
          switch (L->tag[SITE(L, i, j, k)]) {
          case 0: fq[j * nz + k] += w * (WT[q] - fq[j * nz + k]); break;
          case 1: break;
          default: fq[j * nz + k] = WT[q];
          }
        k++;
      }
    }
  }
}
/* momentum exchange over the cut links, summed per thread */
void obstacle_force(const lattice_t *L, const linklist_t *ll, params_t *p) {
  static real acc[MAXTHR][3];
  memset(acc, 0, sizeof acc);
#pragma omp parallel for schedule(static)
  for (int n = 0; n < ll->n; n++) {
    const link_t *l = &ll->v[n];
    if (l->obst == 255) continue;
    const int t = omp_get_thread_num(), o = OPP[l->q];
    const real d = L->g[o * L->vol + l->from] + L->f[l->q * L->vol + l->from];
    for (int c = 0; c < 3; c++) acc[t][c] += d * CV[o][c];
  }
  for (int o = 0; o < p->nobst; o++)
    for (int c = 0; c < 3; c++) {
      p->ob[o].drag[c] = 0;
      for (int t = 0; t < omp_get_max_threads(); t++) p->ob[o].drag[c] += acc[t][c] / p->nobst;
    }
}
