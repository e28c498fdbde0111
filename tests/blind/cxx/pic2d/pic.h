#ifndef PIC_H
#define PIC_H
#include <mpi.h>
#include <stddef.h>

/* set in comm.c */
extern int myrank, nprocs, left, right;

/* grid: nx local cells in x (cut over the ranks), ny in y; node arrays with
 * one guard node on each side, y runs fastest */
extern int nx, ny;
#define LDY      (ny + 3)
#define ND(i, j) ((size_t)((i) + 1) * LDY + ((j) + 1))
#define NNODE    ((size_t)(nx + 3) * LDY)

/* diagnostics mesh, fixed */
#define HX 128
#define HV 512

typedef struct {
    char   alive;
    double x, y;
    char   species;
    double vx, vy, vz;
    int    cell;
    double weight;
    char   tag;
    double ex, ey;
    double born;
    int    id;
} Particle;

typedef struct {
    char   name[4];
    double q, m, vth;
    int    first, n, max;
    Particle *p;
} Species;

typedef struct {
    char   bc;
    double dt;
    char   order;
    double b0;
    int    steps;
} Input;

typedef double (*ShapeFn)(double);
typedef void (*DepositFn)(const Species *);

extern Species spec[2];
extern Input in;
extern double *rho, *phi, *ex, *ey, *tmp;
extern ShapeFn shape;
extern DepositFn deposit_table[];
extern double hist2[HX][HV];

/* comm.c */
void comm_init(int *argc, char ***argv);
void guard_add(double *a);
void guard_copy(double *a);
void guard_copy_rows(double *a, int ncopies);
void send_particles(Species *s);
double all_sum(double x);
double all_max(double x);
void gather_loads(int n, int *loads);
void log_energy(double e);
/* push.c */
void gather_fields(Species *s);
void push(Species *s, double dt);
void collide(Species *s, double nu);
void sort_cells(Species *s);
int  absorb(Species *s);
/* deposit.c */
void deposit_shared(const Species *s);
void deposit_private(const Species *s);
void clear_rho(void);
void smooth_rho(int passes);
/* poisson.c */
int  solve_phi(int maxit, double tol);
void efield(void);
void subtract_mean(void);
/* diag.c */
double kinetic(const Species *s);
double field_energy(void);
double momentum_x(const Species *s);
void phase_space(const Species *s);
void phase_cut(double *cut);
void potential_profile(double *px);
void charge_profile(double *py);
void per_thread_counts(const Species *s, long *c);
double max_speed(const Species *s);
#endif
