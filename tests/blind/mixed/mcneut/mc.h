#ifndef MC_H
#define MC_H
#include <stdint.h>
#include <stddef.h>

#define NISO 24
#define NE   2000
#define NG   32
#define NCH  4
#define MX   96
#define MY   96
#define MZ   8
#define LDT  1024
#define NREG 600

#define FOR(i, n) for (long i = 0; i < (n); i++)
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

typedef void *H;

/* point of a nuclide grid */
typedef struct { double e, tot, el, ab, fi, nu; } gp_t;

/* particle in flight */
typedef struct {
  double x, y, z, u, v, w, e, wt, t;
  int cell, alive, ncol, gen;
} part_t;

/* fission site */
typedef struct {
  char used;
  double x;
  char kind;
  double y;
  short gen;
  double z;
  char flag;
  double e;
} site_t;

/* per thread state, a page's worth apart */
typedef struct { uint64_t s; char pad[120]; } rng_t;

typedef struct { char on; int n; char tag; } opt_t;

#define TALLY(t, c, g)   (t)[(size_t)(g) * MX * MY * MZ + (c)]
#define CURR(t, c, g)    (t)[(size_t)(c) * NG + (g)]
#define XSG(s, i, k, g)  (s)[((size_t)(i) * NCH + (k)) * NG + (g)]
#define IDX(i, j, k)     (((size_t)(k) * MY + (j)) * MX + (i))
#define RESP(s, r, d)    (s)[(size_t)(d) * LDT + (r)]
#define FM(s, i, j)      (s)[(size_t)(i) * NREG + (j)]

struct sim {
  int me, np, nth;
  long npart, nsite, maxsite;
  gp_t *grid[NISO];
  double *mgx;               /* nuclide, channel, group */
  double *dens;              /* cell, nuclide */
  double *flux, *curr, *smooth, *work;
  double *resp, *fm, *fv;
  part_t *p;
  site_t *site, *in;
  rng_t *rng;
  uint64_t *ncol;            /* collisions by thread */
  double keff;
};
#define S(h) ((struct sim *)(h))

H    mc_new(long n, int me, int np, int nth);
void mc_free(H h);
void xs_make(H h);
double xs_total(H h, long c, double e, double *fi, double *ab);
void xs_collapse(H h);
double xs_sum(H h);
void track_all(H h, int gen);
void track_events(H h, int nev);
long bank_alive(H h);
void bank_start(H h, int gen);
double tal_norm(H h);
void tal_smooth(H h, int n);
void tal_spectrum(H h, double *sp);
double tal_leak(H h);
void tal_matrix(H h);
double tal_response(H h);
void com_sites(H h);
void com_sum(H h, double *v, int n);
double com_sum1(H h, double v);
void com_flux(H h);
void com_seed(H h, uint64_t *s);
void com_spectra(H h, double *sp, double *all);
void com_halo(H h, double *f, int overlap);
void com_wait(H h, int gen);

static inline double rnd(rng_t *r) {
  r->s = r->s * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(r->s >> 11) / 9007199254740992.0;
}
#endif
