/****************************** lattice.h ********************************
 * the site record, field macros, globals.  Staggered fermions, SU(3).   */
#ifndef _LATTICE_H
#define _LATTICE_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <math.h>
#include <mpi.h>
#include <omp.h>
#include "su3.h"

#define XUP 0
#define YUP 1
#define ZUP 2
#define TUP 3
#define TDOWN 4
#define ZDOWN 5
#define YDOWN 6
#define XDOWN 7
#define OPP_DIR(d) (7-(d))
#define EVEN 2
#define ODD 1
#define EVENANDODD 3
#define MAXTHREADS 64

typedef struct {
  short x, y, z, t;
  char parity;
  int index;
  unsigned int seed;            /* generator state of the site */
  su3_matrix link[4];
  anti_hermitmat mom[4];
  su3_matrix staple;
  double phase[4];
  su3_vector phi, resid, cg_p, xxx, ttt, g_rand;
  su3_vector tempvec[4];
  char pad[2048 - 24 - 5*144 - 4*72 - 32 - 10*48];
} site;

/* one entry for each gather in flight */
typedef struct {
  char dir;
  MPI_Request rq[2];
  char pending;
  char *rbuf, *sbuf;
} msg_tag;

#define F_OFFSET(a) offsetof(site, a)
#define FORALLSITES(i,s)  for (i = 0, s = lattice; i < sites_on_node; i++, s++)
#define FOREVENSITES(i,s) for (i = 0, s = lattice; i < even_sites_on_node; i++, s++)
#define FORODDSITES(i,s)  for (i = even_sites_on_node, s = &lattice[i]; i < sites_on_node; i++, s++)
#define FORSOMEPARITY(i,s,par) \
  for (i = ((par) == ODD ? even_sites_on_node : 0), s = &lattice[i]; \
       i < ((par) == EVEN ? even_sites_on_node : sites_on_node); i++, s++)
#define PRAGMA(x) _Pragma(#x)
#define FORALLSITES_OMP(i,clauses) \
  PRAGMA(omp parallel for private(i) clauses) \
  for (i = 0; i < sites_on_node; i++)

extern int nx, ny, nz, nt, ntl, volume, sites_on_node, even_sites_on_node;
extern int this_node, number_of_nodes;
extern double mass, beta_g, rsqmin, eps;
extern int niter;
extern site *lattice;
extern char **gen_pt[8];
extern int *nbr[8];
extern su3_vector *tmpv[8];

void setup(int argc, char **argv);
int node_index(int x, int y, int z, int tl);
double myrand(site *s);
double gaussr(site *s);
void g_sync(void);
void g_doublesum(double *x);
void g_vecdoublesum(double *x, int n);
msg_tag *start_gather_site(size_t off, int size, int dir, int par, char **dest);
msg_tag *start_gather_field(void *f, int size, int dir, int par, char **dest);
void wait_gather(msg_tag *m);
void cleanup_gather(msg_tag *m);
void send_column(size_t off, int size, int to, int from, char *buf);
void dslash_site(size_t src, size_t dest, int par);
void dslash_field(su3_vector *src, su3_vector *dest, int par);
int congrad_site(int itmax, double rsq);
int congrad_field(su3_vector *b, su3_vector *x, int itmax, double rsq);
void update(int nsteps);
void refresh_mom(void);
void reunitarize(void);
void plaquette(double *ss, double *st);
void pbp(double *res);
void correlator(su3_vector *prop, double *corr);
complex ploop(void);
void save_lattice(const char *fn);
#endif
