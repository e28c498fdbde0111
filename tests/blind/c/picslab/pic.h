/*
 *  PICSLAB  - electrostatic 3-D particle-in-cell code, slab domains in z
 *  common definitions
 */
#ifndef PIC_H
#define PIC_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <mpi.h>
#include <omp.h>

#define NSPEC   2
#define TWOPI   6.283185307179586
#define MAXTHR  64
#define TAG_UP  11
#define TAG_DN  12

/* one macro particle; everything in here is used by the mover */
typedef struct {
  double x, y, z;
  double vx, vy, vz;
  double q, m;
} Particle;

/* what the tracer diagnostics keep about each macro particle */
typedef struct {
  char   species;
  double t_in;
  char   crossed;
  double path;
  short  cell[3];
  double emax;
  char   flag;
  int    id;
} Tracer;

/* grid point record of the field solver */
typedef struct {
  double ex, ey, ez;
  double phi;
  double rho;
  double jx, jy, jz;
  double bx, by, bz;
  double eps;
} FieldPt;

typedef struct { double re, im; } Cmplx;

/* local slab with one ghost plane on each side in z: k = 0..nzl+1 */
#define GI(i,j,k) (((k)*ny + (j))*nx + (i))
/* k-space array, z-lines are contiguous after the transpose */
#define KI(i,j,k) (((j)*nx + (i))*nz + (k))
#define WRAP(i,n) ((i) < 0 ? (i)+(n) : ((i) >= (n) ? (i)-(n) : (i)))

extern int nx, ny, nz, nzl, nyl, myid, nproc, up, down, nthr;
extern double dt, lx, ly, lz, zlo, zhi;
extern int npart, maxpart;
extern Particle *part;
extern Tracer   *trac;
extern FieldPt  *fld;
extern double   *rhoth[MAXTHR];
extern Cmplx    *cw, *ck;

void alloc_grid(void);
void init_particles(int nper);
void deposit(void);
void deposit_current(void);
void push(void);
void sort_particles(void);
void trace(double t);
void solve_field(void);
void smooth_rho(int npass);
void fft1(Cmplx *a, int n, int isign);
void fft_xy(Cmplx *a, int isign);
void fft_z(Cmplx *a, int isign);
void transpose_fwd(Cmplx *a, Cmplx *b);
void transpose_bwd(Cmplx *b, Cmplx *a);
void add_ghost_rho(void);
void fill_ghost_e(void);
void exchange_particles(void);
void energies(double *e);
void profile(int step);
void snapshot(int step);
double density_rms(void);
#endif
