#ifndef MHD_H
#define MHD_H
/*============================================================================
 * FILE: mhd.h  - split MHD solver on a uniform grid, slabs along x3
 *==========================================================================*/
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <unistd.h>
#include <mpi.h>
#include <omp.h>

typedef double Real;
#define NG    3
#define NVAR  8
#define MAXN  512
#define SQR(x) ((x)*(x))
#define MAX(a,b) ((a) > (b) ? (a) : (b))
#define MIN(a,b) ((a) < (b) ? (a) : (b))
#define TINY_NUMBER 1.0e-20
enum { RHO = 0, M1, M2, M3, EN, B1, B2, B3 };

/* local grid; U[n][k][j][i], i fastest */
typedef struct Grid_s {
  Real ****U;
  Real ***Phi;
  Real ***Temp;
  Real ***J2;            /* current squared, for the resistive heating */
  Real ****Flx;          /* fluxes of the x3 sweep */
  Real dx1, dx2, dx3, x3min, dt, time;
  int Nx1, Nx2, Nx3, Nx3glob;
  int is, ie, js, je, ks, ke;
  int id, np, lo, hi;
} Grid;

/* a tracer star, cooled and heated gas around it */
typedef struct Star_s {
  char active;
  Real x, y, z, L;
  int id;
} Star;

typedef void (*VBCFun)(Grid *pG);
typedef void (*RiemannFun)(const Real *Ul, const Real *Ur, Real *F);

extern Real Gamma, CourNo, eta_ohm;
extern RiemannFun Riemann;

void  *calloc_1d_array(size_t nc, size_t size);
void ***calloc_3d_array(size_t nt, size_t nr, size_t nc, size_t size);
Real ****calloc_4d_real(int nv, int nt, int nr, int nc);
void problem(Grid *pG);
void bvals_init(Grid *pG);
void bvals(Grid *pG);
void bvals_B(Grid *pG);
void emf_correct(Grid *pG);
void integrate(Grid *pG, int order);
void new_dt(Grid *pG);
void resistivity(Grid *pG);
void cooling(Grid *pG, Star *st, int nst);
void diffuse_phi(Grid *pG, int nit);
void flux_hll(const Real *Ul, const Real *Ur, Real *F);
void flux_lf(const Real *Ul, const Real *Ur, Real *F);
Real pressure(const Real *u);
void history(Grid *pG);
void vertical_profile(Grid *pG, Real *prof);
void dump(Grid *pG, int n);
#endif
