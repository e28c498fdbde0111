#include "md.h"

static unsigned int seed = 1234567u;
static double ran(void) { seed = seed*1664525u + 1013904223u; return (seed >> 8)/16777216.0; }

/* dense drop in thin vapour */
static void place_atoms(void)
{
  int i, j, k, n = 0, ndrop = natom*4/5, side = (int) ceil(cbrt((double) natom)) + 2;
  double a = 1.12, c = 0.5*box;
  for (i = 0; i < side && n < ndrop; i++)
    for (j = 0; j < side && n < ndrop; j++)
      for (k = 0; k < side && n < ndrop; k++) {
        Atom *p = at + n;
        p->r[0] = c + (i - side/2)*a + 0.02*ran();
        p->r[1] = c + (j - side/2)*a + 0.02*ran();
        p->r[2] = c + (k - side/2)*a + 0.02*ran();
        n++;
      }
  for (; n < natom; n++) for (k = 0; k < 3; k++) at[n].r[k] = box*ran();
  for (i = 0; i < natom; i++) {
    Atom *p = at + i;
    for (k = 0; k < 3; k++) { p->v[k] = par.temp0*(ran() - 0.5); p->r0[k] = p->r[k]; }
    p->type = i%2; p->mol = i/2; p->m = 1.0; p->q = i%2 ? 0.05 : -0.05; p->id = i;
  }
}

void init(int argc, char **argv)
{
  int i, t, k;
  memset(&par, 0, sizeof(par));
  par.natom = argc > 1 ? atoi(argv[1]) : 4000;
  par.nstep = argc > 2 ? atoi(argv[2]) : 40;
  par.dt = 0.002; par.nrebuild = 10; par.rcut = 2.5; par.skin = 0.4; par.temp0 = 1.0; par.ttm = 1;
  natom = par.natom;
  box = 2.2*cbrt((double) natom);
  ncx = (int)(box/(par.rcut + par.skin));
  cellw = box/ncx;
  nthr = omp_get_max_threads();
  if (nthr > MAXTHR) { nthr = MAXTHR; omp_set_num_threads(nthr); }
  at = (Atom *) calloc(natom, sizeof(Atom));
  place_atoms();
  f = (vec3 *) malloc(natom*sizeof(vec3));
#pragma omp parallel private(k)
  {
#pragma omp for schedule(static)
    for (i = 0; i < natom; i++) for (k = 0; k < 3; k++) f[i][k] = 0.0;
  }
  for (t = 0; t < nthr; t++)
    fth[t] = (vec3 *) malloc(natom*sizeof(vec3));
  nbr = (int *) malloc((size_t) MAXNB*natom*sizeof(int));
  nnb = (int *) calloc(natom, sizeof(int));
  chead = (int *) malloc(ncx*ncx*ncx*sizeof(int));
  ccount = (int *) malloc(ncx*ncx*ncx*sizeof(int));
  cnext = (int *) malloc(natom*sizeof(int));
  vtrack = (float *) malloc((size_t) MAXFR*3*natom*sizeof(float));
  spl = (Spl *) malloc((NTAB+1)*sizeof(Spl));
  for (i = 0; i <= NTAB; i++) {
    double r2 = 0.5 + (par.rcut*par.rcut - 0.5)*i/NTAB, s = 1/(r2*r2*r2);
    spl[i].a = 4*(s*s - s); spl[i].b = 24*(2*s*s - s)/r2; spl[i].c = 0; spl[i].d = 0;
  }
#pragma omp parallel for private(i,t) schedule(static)
  for (k = 0; k < GZ; k++) for (t = 0; t < GY; t++)
    for (i = 0; i < GX; i++) te[k][t][i] = 1.0 + exp(-0.02*((i-GX/2)*(i-GX/2) + (t-GY/2)*(t-GY/2)));
}
