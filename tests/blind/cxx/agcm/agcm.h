/* agcm.h - simple global model, latitude bands over the ranks */
#ifndef AGCM_H
#define AGCM_H

#include <stdio.h>
#include <stdlib.h>
#include <mpi.h>

#define NTRAC 4

extern int myrank, nprocs, left, right;      /* halo.c */
extern int im, jm, km;                       /* local sizes */

/* dynamics: i runs fastest, ghosts in i and j */
#define IW (im + 2)
#define JW (jm + 2)
#define X3(k, j, i) (((size_t)(k) * JW + (j)) * IW + (i))
#define X2(j, i) ((size_t)(j) * IW + (i))
/* physics: whole columns, k runs fastest */
#define C3(j, i, k) ((((size_t)(j) - 1) * im + (i) - 1) * km + (k))

typedef struct {
    char name[8];
    double *a;          /* dynamics layout */
    double *tend;
} Var;

/* land surface, one per column */
typedef struct {
    double tsurf;
    double snow;
    double soil[3];
    double albedo;
    double runoff;
    int    njob;
    short  type;
    char   veg;
    char   snowflag;
    char   ice;
} Surface;

typedef struct {
    char   calendar;
    double dt;
    int    nstep;
    double nu;
    char   scheme;
    double day;
} Control;

typedef void (*PhysProc)(int j, int i, double *t, double *q, double dt);

extern Var u, v, h, t, q;
extern double *trac[NTRAC];
extern double **topo;          /* topo[j][i] */
extern double *cosz;
extern double *colT, *colQ;
extern Surface *sfc;
extern Control ctl;
extern PhysProc physics[];

double *new3(void);
/* halo.c */
void par_init(int *argc, char ***argv);
void halo(double *a);
void halo_packed(double *a);
void halo_begin(double *a);
void halo_end(double *a);
double gsum(double x);
double gmax(double x);
void gather_rows(const double *mine, double *all, int n);
double running_max(double x);
void wait_ocean(int step);
/* dyn.c */
void pressure_gradient(void);
void advect(double *a);
void diffuse(double *a, double nu);
void update(double dt);
void polar_filter(double *a);
void vertical_mix(double *a, double dt);
void continuity(double dt);
/* phys.c */
void to_columns(void);
void from_columns(void);
void run_physics(double dt);
void surface(double dt);
void sun(double hour);
/* diag.c */
double total_energy(void);
double total_water(void);
double max_wind(void);
void zonal_mean(const double *a, double *zm);
void column_integral(const double *a, double *ci);
void tracer_mass(double *m);
void count_wet(int *cnt);
double surface_mean(void);
double roughness(void);
void slope_drag(double *d);
void level_means(const double *c, double *m);

#endif
