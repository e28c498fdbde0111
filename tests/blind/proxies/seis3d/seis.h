#ifndef SEIS_H
#define SEIS_H
#include <mpi.h>
#include <stddef.h>

#define PAD   2            /* ghost width of the 4th order operator      */
#define NABS  16           /* thickness of the absorbing strip           */
#define NMECH 3            /* relaxation mechanisms                      */
#define C1    (9.0f/8.0f)
#define C2    (-1.0f/24.0f)

/* material properties of one node, as delivered by the model reader */
typedef struct {
    float rho, vp, vs, qp, qs;
    float lam, mu, buoy;
} material_t;

typedef struct {
    char   name[9];
    int    i, j, k;        /* local indices, -1 when not mine            */
    double x, y, z;
    short  comp;
} receiver_t;

typedef struct {
    int nx, ny, nz;        /* local interior                             */
    int mx, my, mz;        /* with ghosts                                */
    int gx0, gy0;          /* global offset                              */
    int NX, NY;
    float h, dt;
    size_t n;
    float *vx, *vy, *vz;
    float *txx, *tyy, *tzz, *txy, *txz, *tyz;
    float *r[NMECH];
    float *damp;
    float *surf;           /* peak ground velocity on the free surface   */
    material_t *mat;
} grid_t;

typedef struct {
    MPI_Comm comm;
    int rank, size, px, py, cx, cy;
    int west, east, south, north;
    float *sb[4], *rb[4];
} topo_t;

#define IX(g,i,j,k) (((size_t)(i)*(g)->my + (j))*(g)->mz + (k))

void topo_init(topo_t *t, grid_t *g);
void topo_free(topo_t *t);
void exchange_vel(grid_t *g, topo_t *t);
void exchange_normal_stress(grid_t *g, topo_t *t);
void exchange_shear_stress(grid_t *g, topo_t *t);

void grid_alloc(grid_t *g);
void grid_model(grid_t *g);
void grid_free(grid_t *g);

void update_velocity(grid_t *g);
void update_normal_stress(grid_t *g);
void update_shear_stress(grid_t *g);
void relax_memory(grid_t *g);
void apply_sponge(grid_t *g, const topo_t *t);
void free_surface(grid_t *g);
void track_pgv(grid_t *g);

void  add_source(grid_t *g, const topo_t *t, int it);
int   locate_receivers(const grid_t *g, receiver_t *r, int nr);
void  sample_receivers(const grid_t *g, const topo_t *t, const receiver_t *r, int nr, float *trace);
void  monitor(const grid_t *g, const topo_t *t, double out[4]);
void  write_snapshot(const grid_t *g, const topo_t *t, int it);
void  write_traces(const topo_t *t, const float *tr, int nt, int nr);

/* image.c: reverse-time imaging from stored wave fields */
typedef struct {
    int    nsnap, have;
    size_t n;
    float *src, *rcv;      /* nsnap fields each, one after the other     */
    float *img, *lap, *slice;
    float ***illum;        /* [i][j][k]                                  */
} image_t;
void   image_alloc(image_t *m, const grid_t *g, int nsnap);
void   image_free(image_t *m, const grid_t *g);
void   image_store(image_t *m, const grid_t *g);
double image_apply(image_t *m, const grid_t *g);
#endif
