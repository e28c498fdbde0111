/* sp.h - parallel sparse solvers, row-wise distribution */
#ifndef SP_H
#define SP_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <mpi.h>
#include <omp.h>

#define SP_MAXLEV    12
#define SP_MAXCOARSE 256
#define SP_MAXTHR    64
#define spCAlloc(t,n) ((t *) calloc((n) > 0 ? (size_t)(n) : 1, sizeof(t)))
#define spTAlloc(t,n) ((t *) malloc(((n) > 0 ? (size_t)(n) : 1)*sizeof(t)))
#define spFree(p) free(p)

/* who needs which of my rows, and whose rows I need */
typedef struct {
  int nsend, nrecv;
  int *sproc, *sstart, *smap;
  int *rproc, *rstart;
  double *sbuf;
} spCommPkg;

typedef struct {
  int nreq;
  MPI_Request *req;
} spCommHandle;

/* entries as the smoother wants them, with the strength of connection */
typedef struct {
  double val;
  double strength;
  int    col;
  int    marker;
} spEntry;

typedef struct spHashNode_s {
  int col;
  double val;
  int next;
} spHashNode;

typedef struct {
  int n, nglob, nghost;
  int *start;                    /* first row of each rank */
  int *ia, *ja;                  /* local columns; ghosts are n, n+1, ... */
  double *a, *dinv;
  int *gid;                      /* global numbers of the ghosts */
  spCommPkg *pkg;
  spEntry *ent;
} spMatrix;

typedef struct {
  int nlev, relax_type, nsweep;
  spMatrix *A[SP_MAXLEV];
  int *agg[SP_MAXLEV];
  double *x[SP_MAXLEV], *b[SP_MAXLEV], *r[SP_MAXLEV];
  int *cstart;
} spAMG;

extern int sp_rank, sp_size;

void   sp_Send(void *b, int n, MPI_Datatype t, int to, int tag);
void   sp_Recv(void *b, int n, MPI_Datatype t, int from, int tag);
void   sp_Barrier(void);
double sp_Sum(double x);
void   sp_SumV(double *x, int n);
spCommHandle *sp_CommBegin(spMatrix *A, double *x);
void   sp_CommEnd(spCommHandle *h);
void   sp_ExchangeOrdered(spMatrix *A, double *x);
void   sp_ExchangeInts(spMatrix *A, const int *v, int *ghost);
void   sp_MakePkg(spMatrix *A);

spMatrix *sp_Laplace3d(int nx, int ny, int nz);
void   sp_Matvec(spMatrix *A, double *x, double *y);
void   sp_Residual(spMatrix *A, double *x, double *b, double *r);
void   sp_MakeEntries(spMatrix *A);
double *sp_Vector(spMatrix *A);
double sp_Dot(const double *x, const double *y, int n);
double sp_LocalDot(const double *x, const double *y, int n);
void   sp_Axpy(double a, const double *x, double *y, int n);

void   sp_Jacobi(spMatrix *A, double *x, double *b, double *tmp, int nsweep);
void   sp_GaussSeidel(spMatrix *A, double *x, double *b, int nsweep);
spAMG *sp_AMGSetup(spMatrix *A, int relax_type);
void   sp_AMGCycle(spAMG *M, int lev);
int    sp_PCG(spMatrix *A, spAMG *M, double *b, double *x, double tol, int itmax);
double sp_TestVectors(spMatrix *A, int nv, int nit);
#endif
