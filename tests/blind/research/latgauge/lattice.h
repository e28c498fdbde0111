#ifndef LATTICE_H
#define LATTICE_H
#include <mpi.h>
#include <stddef.h>
#include <complex.h>
#include "su3.h"

enum { XUP, YUP, ZUP, TUP };
#define EVEN 0x02
#define ODD 0x01
#define NRHS 8
#define PLANE 65536 /* max. local volume */

/* lattice divided along t; one ghost slab below and above */
#define SITE(x, y, z, t) ((x) + nx * ((y) + ny * ((z) + nz * (t))))
#define G(mu, i) (links[mu][(i) + slab])
#define FORALLSITES(i, s) for ((i) = 0, (s) = lattice; (i) < volume; (i)++, (s)++)
#define FORALLDIR(d) for (int d = XUP; d <= TUP; d++)
#define FORSWEEP(n, i) for (int n = 0, i; n < volume && ((i = sweep[n]), 1); n++)
#define F_OFFSET(a) offsetof(site, a)
#define F_PT(s, fo) ((su3_vector *)((char *)(s) + (fo)))
#define GSUM(x) MPI_Allreduce(MPI_IN_PLACE, &(x), 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD)
#define SYNC() MPI_Barrier(MPI_COMM_WORLD)
#define NODE0 if (this_node == 0)

typedef struct {
    short x, y, z, t;
    int parity, index;
    unsigned long long seed;
    su3_vector phi, resid, cg_p, ttt, xxx, g_rand;
    anti_hermitmat mom[4];
    double wt, ploop[2];
} site;

/* one of the eight terms of the hopping matrix */
typedef struct {
    char dag;
    double phase;
    int from;
    double bc;
    short mu;
} hop_t;

typedef struct { MPI_Request rq[4]; su3_vector *v; } msg_tag;

extern int nx, ny, nz, nt, ntl, slab, volume, this_node, num_nodes, node_up, node_dn;
extern site *lattice;
extern su3_matrix *links[4];
extern int *nbr_up[4], *nbr_dn[4], *sweep;
extern hop_t *hops;

void setup_layout(int lx, int ly, int lz, int lt);
double site_random(site *s);
void hot_start(double eps);
/* comm.c */
void exchange_links(void);
void start_gather(su3_vector *v, msg_tag *m);
void wait_gather(msg_tag *m);
void shift_ghosts(double *f);
void g_doublesum(double *x);
void save_lattice(const char *name);
/* gauge.c */
void plaquette(double *ss, double *st);
void flow_step(double eps);
void fat_vector(su3_vector *v, su3_vector *out, double a);
/* inverter.c */
int ks_congrad(double mass, int niter, double tol, double *final);
/* measure.c */
void ploop(double complex *p);
void spectrum(double *corr);
double energy_density(double *dens);
double smear_density(double *dens, int n);
double noise_block(void);
#endif
