#ifndef REACTNET_H
#define REACTNET_H
#include <stddef.h>
#include <stdio.h>
#include <mpi.h>

#define MAXSP 24
#define MAXTHR 256

/* species planes, then rows; one ghost layer */
#define IDX(b, s, j, i) ((size_t)(s) * (b)->plane + (size_t)(j) * (b)->pitch + (size_t)(i))
#define FOR_INTERIOR(b, j, i) \
    for (int i = 1; i <= (b)->nx; i++) \
        for (int j = 1; j <= (b)->ny; j++)
#define FOR_ROWS(b, j, i) \
    for (int j = 1; j <= (b)->ny; j++) \
        for (int i = 1; i <= (b)->nx; i++)

enum rtype { R_UNI, R_BI, R_PHOT };

struct reaction {
    char type;
    double A;
    short nr;
    double beta;
    int r[2], p[2];
    char reversible;
    double Ea;
};

struct network {
    int ns, nreac, nnz;
    struct reaction *rx;
    int *rp, *col;              /* Jacobian pattern, CSR */
    int *slot;                  /* dense position of each entry */
    double enth[MAXSP];
};

struct block {
    int nx, ny, ns, pitch;      /* local interior size */
    int gx, gy, ox, oy;         /* global size and offset */
    size_t plane;
    double dx, dy;
    MPI_Comm cart;
    int rank, size, up, down, left, right;
    double *c;                  /* concentrations [s][j][i] */
    double **T, **Tn, **u, **v, **phot, **src;
    double *rowbuf, *colbuf;
};

struct runstat {
    double t_chem, t_adv, t_halo;
    double mass, heat, grad, qmax;
    long newton, limited;
    int step;
};

/* field.c */
void block_init(struct block *b, int gx, int gy, int ns, MPI_Comm comm);
void block_free(struct block *b);
double **rows_alloc(int nrow, int pitch);
void set_initial(struct block *b);
void normalise(struct block *b, double total);
void fill_walls(struct block *b);
/* halo.c */
struct halo { MPI_Request rq[8]; double *sb, *rb; double **f; };
void halo_begin(struct block *b, double **f, struct halo *h);
void halo_end(struct block *b, struct halo *h);
void halo_conc(struct block *b);
void shade(struct block *b, double sigma);
/* transport.c */
double stable_dt(const struct block *b);
void set_limiter(const char *name);
long advect(struct block *b, double dt);
void conduct(struct block *b, double dt, double kappa);
void line_diffuse(struct block *b, double dt, double kappa);
/* network.c */
void net_build(struct network *n, int ns);
void net_rates(const struct network *n, const double *T, int nb, double *k);
void net_rhs(const struct network *n, const double *y, const double *k, int ks, double ph, double *f);
void net_jac(const struct network *n, const double *y, const double *k, int ks, double ph, double *J);
/* solver.c */
long chem_step(struct block *b, const struct network *n, double dt);
double heat_release(struct block *b, double dt);
/* diag.c */
void totals(struct block *b, const struct network *n, struct runstat *st);
double front_gradient(const struct block *b);
void tick(struct block *b, double *acc);
void write_profile(struct block *b, const char *name);
#endif
