/* dgeuler - nodal DG for the 2-d Euler equations on a row of blocks */
#ifndef DGEULER_H
#define DGEULER_H
#include <mpi.h>

#define N     5              /* nodes per direction (LGL) */
#define NN    (N * N)
#define NV    4
#define GAM   1.4
#define IMGW  2048           /* raster width, multiple of the page */
#define NSNAP 48
#define MAXTHR 256

/* q[v][e][node], node = j*N + i, i along x */
#define IX(b, v, e, n)  ((((size_t)(v)) * (b)->ne + (e)) * NN + (n))
#define ELEM(b, ex, ey) ((ey) * (b)->nex + (ex))
/* element loops */
#define FOR_ROWS(b, ex, ey) for (int ey = 0; ey < (b)->ney; ey++) for (int ex = 0; ex < (b)->nex; ex++)
#define FOR_COLS(b, ex, ey) for (int ex = 0; ex < (b)->nex; ex++) for (int ey = 0; ey < (b)->ney; ey++)

typedef struct block {
    int nex, ney, ne;
    double x0, dx, dy;
    double *q, *res, *rhs;       /* state, RK register, tendency */
    double *gh[2];               /* neighbour traces left/right: [v][ey][j] */
    double *sb[2];               /* own traces */
    double ***bar;               /* averages bar[v][ey][ex], ex = -1..nex */
    double *vort;                /* [ey][ex] */
    int *order, *trouble;
    int ntrouble;
} block_t;

typedef struct tstat {
    double smax;
    long nlim;
} tstat_t;

typedef struct probe {
    char name[16];
    int blk, elem, node;
    double x, y, val[NV];
} probe_t;

extern double Dm[N][N], Wq[N], Xq[N];
extern int nblk, rank, nrank, left, right;
extern block_t *blk;

void basis_init(void);
double euler_pressure(double r, double mx, double my, double e);
void blocks_init(int nb, int nex, int ney);
double **alloc2d(int nr, int nc);
void traces_pack(void);
int traces_post(MPI_Request *req);
void exchange_bar(void);
void wait_nap(MPI_Request *req, int n);
void rhs_block(block_t *b);
double max_speed(void);
void averages(void);
void limiter(void);
void positivity(void);
void vorticity(void);
void raster(void);
void raster_smooth(int dir);
void raster_products(double *prof);
void pod_add(void);
void pod_gram(double *lam);
double entropy(void);
void probes_init(void);
void probes_flush(double t);
#endif
