/* amgmini: aggregation multigrid on slab-partitioned grids */
#ifndef AMG_H
#define AMG_H
#include <mpi.h>
#include <omp.h>

#define MAXLEV 12
#define MAXTHR 256
#define CACHELINE 64

typedef struct {
    int     n, nnz;
    int    *ptr, *col;
    double *val;
} csr_t;

typedef struct {                /* one multigrid level                   */
    int     n, nx, ny, nz, np;  /* np: points of a plane = ghosts a side */
    csr_t   D, G;               /* local block, ghost block              */
    double *x, *b, *r, *t, *dinv;
    double *ghost, *gdinv;
    int    *agg;                /* fine -> coarse                        */
    int    *rowcol;             /* colour of a row                       */
    int    *colptr, *collist;
} level_t;

typedef struct {
    MPI_Comm comm;
    int      rank, size, lo, hi, nlev;
    level_t  L[MAXLEV];
    int      nc;                /* global size of the coarsest level     */
    double  *inv;               /* its dense inverse, row-major          */
    double  *cb, *cx;
    double   wait_time;
} amg_t;

typedef struct { double v; char pad[CACHELINE - sizeof(double)]; } padsum_t;

/* csr.c */
void   csr_alloc(csr_t *A, int n, int nnz);
void   csr_free(csr_t *A);
void   csr_mv(const csr_t *A, const double *x, double *y);
void   csr_mv_add(const csr_t *A, const double *x, double *y);
double vec_dot(const double *x, const double *y, int n);
double vec_maxabs(const double *x, int n);
void   vec_axpy(double a, const double *x, double *y, int n);
void   vec_set(double *x, double a, int n);
/* comm.c */
void   halo_begin(amg_t *m, level_t *l, const double *x, double *g, MPI_Request *rq);
void   halo_end(MPI_Request *rq);
void   halo_int(amg_t *m, level_t *l, const int *v, int *g);
void   par_mv(amg_t *m, level_t *l, const double *x, double *y);
void   par_residual(amg_t *m, level_t *l, const double *b, const double *x, double *r);
/* setup.c */
void   amg_setup(amg_t *m, int nx, int ny, int nz, int maxlev, double eps);
void   amg_free(amg_t *m);
/* relax.c */
void   relax_jacobi(amg_t *m, level_t *l, int nsweep, double omega);
void   relax_colour(amg_t *m, level_t *l, int nsweep);
/* tv.c */
double tv_check(amg_t *m, int sweeps);
/* cycle.c */
void   amg_cycle(amg_t *m, int lev);
int    amg_pcg(amg_t *m, const double *b, double *x, double tol, int maxit, double *res);
/* coarse.c */
void   coarse_setup(amg_t *m);
void   coarse_solve(amg_t *m);
#endif
