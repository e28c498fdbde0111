/* SNKBA: multigroup discrete ordinates in x,y,z; ranks in y and z (KBA) */
#ifndef SN_H
#define SN_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <mpi.h>
#include <omp.h>

#define MAXG   64
#define MAXMAT 4
#define MXTHR  128
#define NANG   8               /* directions in an octant */

/* mesh cell edits: flux of the fast group and what belongs to it */
typedef struct {
  double flux, flux_old;
  double src, removal, leak;
  double err;
  int    mat, fix;
  double heat[4];
} CellRec;

/* thread counters, one cache line each */
typedef struct { double err; long nfix; char fill[48]; } ThrStat;

typedef struct {
  char title[21];
  double epsi;
  int nx, ny, nz, ng;
  char dsa;
  double keff;
  int ichunk, iitm, oitm;
} Input;

#define CELL(i,j,k)    (((k)*ny + (j))*nx + (i))
#define PHI(g,c)       phi[(size_t)(g)*ncell + (c)]
#define QSRC(g,c)      qsrc[(size_t)(g)*ncell + (c)]
#define IB(g,k,j,a)    ib[((((size_t)(g)*nz + (k))*ny + (j)))*NANG + (a)]
#define JB(g,k,i,a)    jb[((((size_t)(g)*nz + (k))*ich + (i)))*NANG + (a)]
#define KB(g,j,i,a)    kb[((((size_t)(g)*ny + (j))*ich + (i)))*NANG + (a)]

extern Input inp;
extern int nx, ny, nz, ng, ich, ncell, me, np, npy, npz, ipy, ipz;
extern int ylo, yhi, zlo, zhi;           /* neighbour ranks */
extern double dx, dy, dz;
extern double mu[NANG], eta[NANG], xi[NANG], wt[NANG];
extern double *phi, *phiold, *qsrc, *qfix, *ib, *jb, *kb;
extern int *mat;
extern double sigt[MAXMAT][MAXG], sigs[MAXMAT][MAXG][MAXG];
extern CellRec *cell;
extern ThrStat tstat[MXTHR];

void input(int argc, char **argv);
void setup_mesh(void);
void alloc_fluxes(void);
void outer_source(void);
void inner_source(void);
void scatter_moments(void);
void sweep(void);
void sweep_old(int g, double *f);
double converged(void);
void dsa(int g);
void regroup(double *cg);
double balance(void);
double fission_sum(void);
void write_flux(const char *fn);
void cell_edit(void);
#endif
