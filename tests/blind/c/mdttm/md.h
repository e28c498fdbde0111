/* md.h - molecular dynamics with a two-temperature electron grid; shared memory only */
#ifndef MD_H
#define MD_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <unistd.h>
#include <omp.h>

#define MAXNB   320
#define MAXTHR  64
#define MAXFR   64
#define NBINS   200
#define NTAB    2048
#define GX 64
#define GY 64
#define GZ 32

typedef double vec3[3];

/* the atom; force and list live in arrays of their own since 2004 */
typedef struct {
  char   type;
  vec3   r;
  vec3   v;
  short  mol;
  double q;
  double m;
  char   frozen;
  vec3   r0;
  double epot, ekin;
  int    cell, id;
  double born;
  double sig[6];
} Atom;

/* one line per thread */
typedef struct { double epot, virial; long npair; double pad[5]; } ThrAcc;

typedef struct {
  char   name[17];
  double dt;
  short  nrebuild;
  double rcut, skin;
  int    natom, nstep;
  char   ttm;
  double temp0;
} Params;

/* electron grid point by pointer, interleaved coefficients of the pair spline */
typedef struct { double a, b, c, d; } Spl;

extern Params par;
extern int natom, nthr, ncx, nframe;
extern double box, cellw;
extern Atom *at;
extern vec3 *f;
extern vec3 *fth[MAXTHR];
extern int *nbr, *nnb;               /* nbr[k*natom + i] */
extern int *chead, *cnext, *ccount;
extern Spl *spl;
extern double te[GZ][GY][GX], tenew[GZ][GY][GX];
extern double src[GZ][GY][GX+2];
extern float *vtrack;                /* vtrack[frame*3*natom + 3*i + d] */
extern double epot, virial;

void init(int argc, char **argv);
void bin_atoms(void);
void build_list(void);
int  list_too_old(void);
void force_list(void);
void force_cells_old(void);
void force_coulomb(double *ec);
void kick(double h);
void drift(double h);
void thermostat(double t);
void shake(int nit);
void ttm_step(int nsub);
void ttm_coupling(void);
double ttm_mean(void);
double kinetic(void);
void rdf(double *g);
void record_frame(void);
void vacf(double *c);
void stress(double *s);
void msd(double *m);
void checkpoint(const char *fn);
void viewer(int step);
#endif
