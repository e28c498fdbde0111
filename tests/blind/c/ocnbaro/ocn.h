/* ocn.h - free-surface ocean model, split barotropic mode, ranks in x and y */
#ifndef OCN_H
#define OCN_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <unistd.h>
#include "comm.h"

#define KM   16                       /* levels */
#define NXP  (nxl+2)
#define NYP  (nyl+2)
/* horizontal fields: i fastest */
#define I2(i,j)     ((j)*NXP + (i))
/* velocities and density: level outermost, i fastest (mind the order of the arguments) */
#define I3(k,i,j)   (((k)*NYP + (j))*NXP + (i))
/* tracers: columns, level fastest */
#define TR(f,i,j,k) (f)[((j)*NXP + (i))*KM + (k)]
#define SQ(x) ((x)*(x))
#define DO2(i,j)    for (j = 1; j <= nyl; j++) for (i = 1; i <= nxl; i++)

/* surface point, as it came from the flux coupler */
typedef struct {
  double taux, tauy, heat, fresh, sst, sss, ice, cloud;
  double eta, etamax;
  double lon, lat, area, depth;
} Surf;

typedef struct {
  char   on;
  double x;
  char   lev;
  double y;
  short  i;
  double age;
  short  j;
  double t;
} Drifter;

/* tide gauge */
typedef struct { char name[9]; double lon; int i, j; char here; double val; } Gauge;

extern int nx, ny, nxl, nyl, px, py, npx, npy, myproc, nproc, west, east, south, north;
extern int ndrift, ngauge;
extern double dtbc, dtbt, dxm, grav;
extern double *eta, *ubt, *vbt, *dep, *cor, *msk;
extern double *u, *v, *rho, *prs, *temp, *salt, *tnew;
extern Surf *surf;
extern Drifter *dft;
extern Gauge *gauge;

void ocn_abort(const char *f, int l);
void init_grid(int argc, char **argv);
void exch2d(double *f);
void exch3d(double *f);
void exch_tr(double *f);
void relay_depth(double *col);
void barotropic(int nsub);
void advect_tracer(double *f, double *fn);
void vertical_mix(double *f);
void convect(double *t, double *s);
void tracer_to_coupler(double *out);
void density(void);
void hydrostatic(void);
void momentum(void);
void move_drifters(void);
double eos(double t, double s, double p);
void diagnostics(int n);
void gauges(int n);
double cfl(void);
void restart_write(void);
#endif
