/* passive dye: explicit advection, implicit diffusion across the pipe */
#include "lbm.h"
#include <stdlib.h>

real ***scalar_alloc(int nx, int ny, int nz) {
  real ***c = malloc(nx * sizeof *c);
  real **rows = malloc((size_t)nx * ny * sizeof *rows);
  real *data = malloc((size_t)nx * ny * nz * sizeof *data);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < nx; i++) {
    c[i] = rows + (size_t)i * ny;
    for (int j = 0; j < ny; j++) {
      c[i][j] = data + ((size_t)i * ny + j) * nz;
      for (int k = 0; k < nz; k++) c[i][j][k] = j < ny / 2;
    }
  }
  return c;
}
static inline real upwind(real u, real m, real c, real p) { return u > 0 ? u * (c - m) : u * (p - c); }

static void advect(real ***c, real ***cn, const lattice_t *L) {
#pragma omp parallel for schedule(static)
  for (int i = GH; i < L->nx - GH; i++)
    for (int j = 1; j < L->ny - 1; j++) {
      const size_t s = SITE(L, i, j, 0);
      for (int k = 1; k < L->nz - 1; k++)
        cn[i][j][k] = c[i][j][k] - upwind(L->ux[s + k], c[i - 1][j][k], c[i][j][k], c[i + 1][j][k])
                    - upwind(L->uy[s + k], c[i][j - 1][k], c[i][j][k], c[i][j + 1][k])
                    - upwind(L->uz[s + k], c[i][j][k - 1], c[i][j][k], c[i][j][k + 1]);
    }
}

/* no-flux walls */
static void walls(real ***c, const lattice_t *L) {
  const int ny = L->ny, nz = L->nz;
  for (int i = GH; i < L->nx - GH; i++) {
    for (int k = 0; k < nz; k++) c[i][0][k] = c[i][1][k], c[i][ny - 1][k] = c[i][ny - 2][k];
    for (int j = 0; j < ny; j++) c[i][j][0] = c[i][j][1], c[i][j][nz - 1] = c[i][j][nz - 2];
  }
}

static void diffuse_z(real ***c, const lattice_t *L, real a) {
  const int nz = L->nz;
#pragma omp parallel
  {
    real *cp = malloc(nz * sizeof *cp);
#pragma omp for collapse(2)
    for (int i = GH; i < L->nx - GH; i++)
      for (int j = 0; j < L->ny; j++) {
        real *x = c[i][j];
        cp[0] = -a / (1 + a);
        x[0] /= 1 + a;
        for (int k = 1; k < nz; k++) {
          real d = 1 + (k < nz - 1 ? 2 : 1) * a + a * cp[k - 1];
          cp[k] = -a / d;
          x[k] = (x[k] + a * x[k - 1]) / d;
        }
        for (int k = nz - 2; k >= 0; --k) x[k] -= cp[k] * x[k + 1];
      }
    free(cp);
  }
}

static void diffuse_y(real ***c, const lattice_t *L, real a) {
  const int ny = L->ny;
#pragma omp parallel
  {
    real *cp = malloc(ny * sizeof *cp);
#pragma omp for
    for (int i = GH; i < L->nx - GH; i++)
      for (int k = 0; k < L->nz; k++) {
        cp[0] = -a / (1 + a);
        c[i][0][k] /= 1 + a;
        for (int j = 1; j < ny; j++) {
          real d = 1 + (j < ny - 1 ? 2 : 1) * a + a * cp[j - 1];
          cp[j] = -a / d;
          c[i][j][k] = (c[i][j][k] + a * c[i][j - 1][k]) / d;
        }
        for (int j = ny - 2; j >= 0; j--)
          c[i][j][k] -= cp[j] * c[i][j + 1][k];
      }
    free(cp);
  }
}

void scalar_step(real ***c, real ***cn, const lattice_t *L, const topo_t *T, const params_t *p) {
  const real a = p->kappa / p->scalar_sub;
  for (int sub = 0; sub < p->scalar_sub; sub++) {
    halo_field(L, T, c[0][0]);
    walls(c, L);
    advect(c, cn, L);
    walls(cn, L);
#pragma omp parallel for schedule(static)
    for (size_t s = L->plane; s < L->vol - L->plane; s++)
      c[0][0][s] = cn[0][0][s];
    diffuse_y(c, L, a);
    diffuse_z(c, L, a);
  }
}

real scalar_total(real ***c, const lattice_t *L) {
  real t = 0;
#pragma omp parallel
  {
    real mine = 0;
#pragma omp for collapse(2) nowait
    for (int i = GH; i < L->nx - GH; i++)
      for (int j = 0; j < L->ny; j++) {
        const real *x = c[i][j];
#pragma omp simd reduction(+:mine)
        for (int k = 0; k < L->nz; k++) mine += x[k];
      }
#pragma omp critical
    t += mine;
  }
  return t;
}
