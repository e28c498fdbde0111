#ifndef LBM_H
#define LBM_H
#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#define NQ      19
#define GH      1
#define MAXOBST 8
#define MAXTHR  256

typedef double real;
/* local block of the pipe: x is the pipe axis and is split over the ranks
 * (one ghost plane at each end), z runs fastest */
typedef struct {
  int nx, ny, nz, gx, x0;
  size_t plane, vol;
  real *f, *g;                 /* populations before / after collision */
  real *rho, *ux, *uy, *uz, *nut, *gradp[3];
  uint8_t *tag;                /* 0 fluid, 1 pipe wall, 2+n obstacle n */
} lattice_t;
#define SITE(L, i, j, k)   (((size_t)(i) * (L)->ny + (j)) * (L)->nz + (k))
#define POP(L, q, i, j, k) ((size_t)(q) * (L)->vol + SITE(L, i, j, k))
typedef struct obstacle_s {
  char   kind;                 /* 's'phere or 'r'od across the pipe */
  double c[3], r;
  char   axis;
  double drag[3];
} obstacle_t;
typedef struct params_s {
  char   title[33];
  double tau, force;
  char   sponge_on;
  double smag, kappa, dpipe;
  int    nx, ny, nz, steps, ckpt_every, scalar_sub, nobst, ntracer;
  obstacle_t ob[MAXOBST];
} params_t;
/* one cut lattice link fluid->solid */
typedef struct link_s {
  uint8_t q;
  size_t  from;
  uint8_t obst;
  real    wallvel;
  int     next;
} link_t;
typedef struct { link_t *v; int n, cap; } linklist_t;
typedef struct tracer_s {
  double x[3], v[3], vold[3];
  double birth, age, exposure, maxshear;
  char   label[48];
  int    id, alive;
} tracer_t;
typedef struct { tracer_t *t; int n, cap; } swarm_t;
typedef struct {
  MPI_Comm comm;
  int rank, size, lo, hi;      /* periodic neighbours along the axis */
  real *sbuf[2], *rbuf[2];
} topo_t;
extern const int  CV[NQ][3];
extern const real WT[NQ];
extern int        OPP[NQ];
int  params_read(const char *fn, params_t *p);
void checkpoint_write(const lattice_t *L, const topo_t *T, int step);
int  steering_poll(const topo_t *T);
void lattice_create(lattice_t *L, const params_t *p, const topo_t *T);
void geometry_mark(lattice_t *L, const params_t *p);
void links_build(const lattice_t *L, linklist_t *ll);
void tables_init(void);
void moments(lattice_t *L);
void collide(lattice_t *L, const params_t *p);
void stream_planes(lattice_t *L, int i0, int i1);
void bounce_back(lattice_t *L, const linklist_t *ll);
void smagorinsky(lattice_t *L, real cs);
void pressure_gradient(lattice_t *L);
void sponge(lattice_t *L, int width);
void obstacle_force(const lattice_t *L, const linklist_t *ll, params_t *p);
void topo_init(topo_t *T, MPI_Comm comm);
void advance_populations(lattice_t *L, topo_t *T, const params_t *p);
void halo_field(const lattice_t *L, const topo_t *T, real *a);
real ***scalar_alloc(int nx, int ny, int nz);
void scalar_step(real ***c, real ***cn, const lattice_t *L, const topo_t *T, const params_t *p);
real scalar_total(real ***c, const lattice_t *L);
void observe_step(const lattice_t *L, const topo_t *T, int step, real umean[]);
real max_speed(const lattice_t *L);
void axial_mean(const lattice_t *L, real *prof);
void pressure_head(const lattice_t *L, const topo_t *T, real *head);
void tracers_seed(swarm_t *S, const lattice_t *L, int n);
void tracers_move(swarm_t *S, const lattice_t *L, const topo_t *T);
int  tracers_beyond(const swarm_t *S, double xc);
#endif
