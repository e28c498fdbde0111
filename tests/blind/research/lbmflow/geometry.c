#include "lbm.h"
#include <stdlib.h>
#include <math.h>

static real *field(size_t n) {
  real *a = NULL;
  if (posix_memalign((void **)&a, 64, n * sizeof *a)) abort();
  return a;
}

void lattice_create(lattice_t *L, const params_t *p, const topo_t *T) {
  int base = p->nx / T->size, rest = p->nx % T->size;
  L->gx = p->nx;
  L->x0 = T->rank * base + (T->rank < rest ? T->rank : rest);
  L->nx = base + (T->rank < rest) + 2 * GH;
  L->ny = p->ny, L->nz = p->nz;
  L->plane = (size_t)L->ny * L->nz;
  L->vol = L->plane * L->nx;
  L->f = field(NQ * L->vol), L->g = field(NQ * L->vol);
  L->rho = field(L->vol), L->nut = field(L->vol);
  L->ux = field(L->vol), L->uy = field(L->vol), L->uz = field(L->vol);
  for (int d = 0; d < 3; d++) L->gradp[d] = field(L->vol);
  L->tag = calloc(L->vol, 1);
  for (int q = 0; q < NQ; q++) {
    real *fq = L->f + q * L->vol, *gq = L->g + q * L->vol;
    for (size_t s = 0; s < L->vol; s++)
      fq[s] = gq[s] = WT[q];
  }
#pragma omp parallel for schedule(static)
  for (int i = 0; i < L->nx; i++)
    for (size_t s = i * L->plane; s < (i + 1) * L->plane; s++) {
      L->rho[s] = 1.0;
      L->ux[s] = L->uy[s] = L->uz[s] = L->nut[s] = 0.0;
      L->gradp[0][s] = L->gradp[1][s] = L->gradp[2][s] = 0.0;
    }
}

static int inside(const obstacle_t *o, double x, double y, double z) {
  double dx = x - o->c[0], dy = y - o->c[1], dz = z - o->c[2];
  if (o->kind == 'r') dz = 0;
  return dx * dx + dy * dy + dz * dz < o->r * o->r;
}

/* pipe wall and obstacles; called once */
void geometry_mark(lattice_t *L, const params_t *p) {
  const double cy = 0.5 * (L->ny - 1), cz = 0.5 * (L->nz - 1);
  const double R = 0.5 * p->dpipe * (L->ny < L->nz ? L->ny : L->nz);
  for (int k = 0; k < L->nz; k++)
    for (int j = 0; j < L->ny; j++) {
      int wall = hypot(j - cy, k - cz) >= R - 0.5;
      wall |= j == 0 || k == 0 || j == L->ny - 1 || k == L->nz - 1;
      for (int i = 0; i < L->nx; i++) {
        double gx = (L->x0 + i - GH + L->gx) % L->gx;
        uint8_t t = wall;
        for (int o = 0; o < p->nobst && !t; o++)
          if (inside(&p->ob[o], gx, j, k)) t = 2 + o;
        L->tag[SITE(L, i, j, k)] = t;
      }
    }
}

void links_build(const lattice_t *L, linklist_t *ll) {
  ll->n = 0, ll->cap = 1024;
  ll->v = malloc(ll->cap * sizeof *ll->v);
  for (int i = GH; i < L->nx - GH; i++)
    for (int j = 1; j < L->ny - 1; j++)
      for (int k = 1; k < L->nz - 1; k++) {
        size_t s = SITE(L, i, j, k);
        if (L->tag[s]) continue;
        for (int q = 1; q < NQ; q++) {
          uint8_t b = L->tag[SITE(L, i - CV[q][0], j - CV[q][1], k - CV[q][2])];
          if (!b) continue;
          if (ll->n == ll->cap) ll->v = realloc(ll->v, (ll->cap *= 2) * sizeof *ll->v);
          ll->v[ll->n] = (link_t){ .q = q, .from = s, .obst = b > 1 ? b - 2 : 255, .next = ll->n + 1 };
          ll->n++;
        }
      }
}
