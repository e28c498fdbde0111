#ifndef LATTICE_H
#define LATTICE_H
#include <mpi.h>
#include <stddef.h>

#define MAXTHR 128
#define NOBS 6
#define NFIT 4

/* one replica: scalar field with random bonds on an L^3 torus, x fastest */
typedef struct {
    double *phi, *sm, *tmp;
    double *J[3];               /* bond to the next site in x, y, z */
    double **pl;                /* pl[z] = plane z of phi */
    double beta, energy;
    long acc, tried;
    int slot;                   /* place in the temperature ladder */
} replica;

typedef struct {
    double w;
    int    site;
    char   active, dir, sign;
} bond;

typedef struct {
    int    root, size;
    double mx, my, mz, m4;
    double esum;
    int    xmin, xmax;
    long   birth;
} clus;

typedef struct {
    int L, nrep, sweeps, every, swapev, seed;
    double lambda, mass, bmin, bmax, eps;
    char out[64];
} params;

extern int L;
extern long V;
extern int *up[3], *dn[3];
extern params par;

#define SITE(x, y, z) ((long)(x) + (long)L * ((y) + (long)L * (z)))
#define FOR_SITES_XYZ(x, y, z) \
    for (int x = 0; x < L; x++) for (int y = 0; y < L; y++) for (int z = 0; z < L; z++)

typedef double (*potfn)(double, const params *);
potfn potential(int kind);
double uran(void);
double uran_t(int tid);
void ran_init(int seed);
void lattice_init(int l);
void replica_init(replica *r, int n, int total, int first);
void metropolis(replica *r);
void overrelax(replica *r);
void smear(replica *r, int n, double rho);
void cluster_move(replica *r);
void swap_replicas(replica *r, int n, int step, int me, int np);
void check_stop(int me, int *stop);
double total_energy(replica *r, potfn v);
void measure(replica *r, double *obs);
void timeslices(const replica *r, double *m);
void corr_dir(const replica *r, long step, double *g);
void field_histogram(const replica *r, double *h, int nb);
double block_spin(const replica *r, double *coarse);
void reorder_time(const replica *r, float *out);
void line_average(replica *r, double *avg);
void series_add(const double *obs);
void series_tau(double *tau, int maxlag);
void series_jackknife(double *err, int nb);
long series_length(void);
#endif
