/* pic.c - electrostatic particle-in-cell in a slab, periodic in x */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pic.h"

int nx = 64, ny = 64;
Species spec[2] = {{"e", -1.0, 1.0, 0.5}, {"i", 1.0, 100.0, 0.05}};
Input in = {'p', 0.2, 1, 0.1, 15};
double *rho, *phi, *ex, *ey, *tmp;

static double rnd(void) { return rand() / (RAND_MAX + 1.0); }

static double *node_array(void)
{
    double *a = malloc(NNODE * sizeof(double));
    long i;
#pragma omp parallel for schedule(static)
    for (i = 0; i < (long)NNODE; i++) a[i] = 0.0;
    return a;
}

static void load(Species *s, int ppc)
{
    int k;
    s->n = nx * ny * ppc;
    s->max = 2 * s->n;
    s->p = calloc(s->max, sizeof(Particle));
    for (k = 0; k < s->n; k++) {
        Particle *p = s->p + k;
        p->alive = 1;
        p->x = rnd() * nx;
        p->y = rnd() * ny * 0.999;
        p->vx = s->vth * (rnd() + rnd() + rnd() - 1.5);
        p->vy = s->vth * (rnd() + rnd() + rnd() - 1.5);
        p->weight = 1.0 / ppc;
        p->id = k;
    }
}

/* wait until the steering file has gone */
static void steering(int step)
{
    if (step % 1000 == 999 && getenv("PIC_STEER")) MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    double e, k0, k1, px, t0, *prof, *py, cut[HV];
    int n, s, its, lost = 0, *loads;
    long *cnt;
    comm_init(&argc, &argv);
    if (argc > 1) in.steps = atoi(argv[1]);
    if (argc > 2) nx = atoi(argv[2]) / nprocs;
    srand(5 + myrank);
    rho = node_array();
    phi = node_array();
    ex = node_array();
    ey = node_array();
    tmp = node_array();
    for (s = 0; s < 2; s++) load(&spec[s], 20);
    loads = malloc(nprocs * sizeof(int));
    prof = malloc(nx * sizeof(double));
    py = malloc((ny + 1) * sizeof(double));
    cnt = calloc(omp_get_max_threads(), sizeof(long));
    MPI_Barrier(MPI_COMM_WORLD);
    t0 = MPI_Wtime();
    for (n = 0; n < in.steps; n++) {
        clear_rho();
        for (s = 0; s < 2; s++) deposit_table[s](&spec[s]);
        guard_add(rho);
        subtract_mean();
        smooth_rho(2);
        its = solve_phi(60, 1e-4);
        efield();
        for (s = 0; s < 2; s++) {
            gather_fields(&spec[s]);
            push(&spec[s], in.dt);
            collide(&spec[s], 0.01);
            lost += absorb(&spec[s]);
            send_particles(&spec[s]);
            if (n % 20 == 19) sort_cells(&spec[s]);
        }
        e = all_sum(field_energy());
        k0 = all_sum(kinetic(&spec[0]));
        k1 = all_sum(kinetic(&spec[1]));
        px = all_sum(momentum_x(&spec[0]));
        log_energy(e);
        gather_loads(spec[0].n, loads);
        phase_space(&spec[0]);
        phase_cut(cut);
        potential_profile(prof);
        charge_profile(py);
        per_thread_counts(&spec[1], cnt);
        steering(n);
        if (myrank == 0 && n % 5 == 0)
            printf("%4d E %.5e K %.5e %.5e px %.2e it %d n %d f0 %.3f p %.3f c %ld\n", n, e, k0, k1, px, its,
                   loads[0], cut[HV / 2], prof[0], cnt[0]);
    }
    e = all_max(max_speed(&spec[0]));
    if (myrank == 0) printf("vmax %.3f lost %d  %.3f s\n", e, lost, MPI_Wtime() - t0);
    MPI_Finalize();
    return 0;
}
