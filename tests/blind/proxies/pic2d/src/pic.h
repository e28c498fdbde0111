#ifndef PIC_H
#define PIC_H
#include <mpi.h>
#include <omp.h>
#include <stdlib.h>

#define NX  256
#define NY  512
#define MAXT 128

/* one macro-particle */
typedef struct {
    char   alive;
    double x, y;
    short  sp;
    double vx, vy, vz;
    int    cell;
    float  w;
    char   tag;
    double e;
} part_t;

typedef struct {
    char   name[3];
    double q, m, vth, drift;
    int    np;
    char   mobile;
} species_t;

typedef struct { long npush, nwrap; double emax; } tstat_t;

typedef struct {
    MPI_Comm comm;
    int rank, size;
    int np, nsp, nstep;
    double dt, lx, ly, dx, dy;
    species_t sp[4];
    part_t *p, *tmp;
    int    *cellptr;                      /* NX*NY + 1                   */
    double *rho, *jx, *jy;                /* [NX][NY]                    */
    double *phi, *ex, *ey, *wk, *tr;
    double *priv;                         /* thread copies for deposits  */
    int    *npc;
    tstat_t stat[MAXT];
} pic_t;

#define AT(i,j) ((i)*NY + (j))

void pic_alloc(pic_t *s);
void pic_load(pic_t *s);
void pic_free(pic_t *s);
void deposit_rho(pic_t *s);
void deposit_current(pic_t *s);
void smooth(double *a, double *wk);
void reduce_sources(pic_t *s);
void solve_phi(pic_t *s, int nit);
void efield(pic_t *s);
void push(pic_t *s);
void sort_cells(pic_t *s);
void collide(pic_t *s);
void energies(pic_t *s, double e[4]);
void moments(pic_t *s, double *npcmax);
void spectrum(pic_t *s, double *pow, int nk);
void dump_sample(pic_t *s, int it);
#endif
