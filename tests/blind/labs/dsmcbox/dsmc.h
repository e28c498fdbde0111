#ifndef DSMC_H
#define DSMC_H
#include <mpi.h>
#include "rng.h"

#define NSPEC 3
#define NMOM 5
#define NV 300                        /* bins of the velocity plane */

typedef struct {
    double x[3], v[3];
    double erot, evib;
    double xold[3];                   /* last crossing, for the tracer output */
    double tau;
    double path, birth;
    long   id;
    int    cell;
    int    spec;
    int    hits[4];
} particle;

typedef struct {
    char   type;
    double dE;
    short  s1;
    double g;
    short  s2;
    char   wall;
} event;

typedef struct {
    char   name[4];
    double mass, dref, omega, tref;
    int    dof;
    double zrot;
} species;

typedef struct {
    int nx, ny, nz;                   /* cells of this rank, x is split */
    int rank, np, left, right;
    double h, x0, lx, ly, lz, dt, fnum;
    long n, cap, ncell;
    particle *p, *tmp;
    int *count, *start, *perm;
    double *vrmax, *rem;
    double *mom[NMOM], *avg[NMOM];    /* x fastest */
    double *wall;                     /* heat on the z = 0 wall, iy * nx + ix */
    double ***rho, ***rhs;            /* [k][j][i] with ghosts */
    double *vdf;                      /* NV x NV */
    double *drag;                     /* background field, z fastest */
    event *ev;
    long nev, ncand, ncoll;
    species sp[NSPEC];
    double sig[NSPEC][NSPEC];
    rng_t rng[RNG_MAXT];
} box;

#define CELL(b, i, j, k) (((long)(k) * (b)->ny + (j)) * (b)->nx + (i))
#define ZCELL(b, i, j, k) (((long)(i) * (b)->ny + (j)) * (b)->nz + (k))

void init_box(box *b, long npercell);
void move_all(box *b);
void fly_field(box *b);
void index_particles(box *b);
void sort_particles(box *b);
double ***grid3(int nz, int ny, int nx);
void for_cells(box *b, void (*fn)(box *, long, void *), void *arg);
void collide_all(box *b);
void sample_cells(box *b);
void average_cells(box *b, double w);
void smooth_density(box *b, int sweeps);
void update_vrmax(box *b);
void velocity_plane(box *b);
void wall_decay(box *b, double f);
void conserve(box *b, double *out);
void dump_slice(box *b, const char *file);
void migrate(box *b);
void ghost_x(box *b, double ***g);
void report_load(box *b, int step);
#endif
