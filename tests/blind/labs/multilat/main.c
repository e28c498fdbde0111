#include "lattice.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NB 200

static void read_params(int argc, char **argv, int me)
{
    par = (params){.L = 128, .nrep = 4, .sweeps = 2000, .every = 1, .swapev = 1, .seed = 17, .lambda = 0.3, .mass = 1.0, .bmin = 0.4, .bmax = 0.8, .eps = 1.5};
    strcpy(par.out, "multilat.dat");
    for (int i = 1; me == 0 && i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "-L")) par.L = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "-r")) par.nrep = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "-n")) par.sweeps = atoi(argv[i + 1]);
        if (!strcmp(argv[i], "-o")) strncpy(par.out, argv[i + 1], sizeof par.out - 1);
    }
    MPI_Bcast(&par, (int)sizeof par, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void write_results(const double *hist, const double *corr, int nc, int me, int np)
{
    int token = 0;
    double *h = malloc(NB * sizeof *h);
    MPI_Reduce(hist, h, NB, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (me > 0)
        MPI_Recv(&token, 1, MPI_INT, me - 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    FILE *f = fopen(par.out, me ? "a" : "w");
    if (f) {
        for (int i = 0; i < NB && me == 0; i++)
            fprintf(f, "h %d %g\n", i, h[i]);
        for (int i = 0; i < nc; i++)
            fprintf(f, "c %d %d %g\n", me, i, corr[i]);
        fclose(f);
    }
    if (me < np - 1)
        MPI_Send(&token, 1, MPI_INT, me + 1, 99, MPI_COMM_WORLD);
    free(h);
}

int main(int argc, char **argv)
{
    int me, np, stop = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &np);
    read_params(argc, argv, me);
    lattice_init(par.L);
    ran_init(par.seed + 100 * me);
    replica *r = calloc(par.nrep, sizeof *r);
    replica_init(r, par.nrep, par.nrep * np, par.nrep * me);

    double obs[NOBS], tau[NOBS] = {0}, err[NOBS];
    double *slice = calloc(L, sizeof *slice), *corr = calloc(3 * (L / 2 + 1), sizeof *corr), *hist = calloc(NB, sizeof *hist);
    double *coarse = malloc(V / 8 * sizeof *coarse), *avg = calloc((size_t)L * L, sizeof *avg);
    float *tfast = malloc(V * sizeof *tfast);
    potfn pot = potential(0);
    double t0 = MPI_Wtime(), blk = 0.0;

    for (int it = 1; it <= par.sweeps && !stop; it++) {
        for (int k = 0; k < par.nrep; k++) {
            metropolis(&r[k]);
            overrelax(&r[k]);
            if (it % 4 == 0)
                cluster_move(&r[k]);
            total_energy(&r[k], pot);
        }
        if (it % par.swapev == 0)
            swap_replicas(r, par.nrep, it, me, np);
        if (it % par.every == 0) {
            replica *c = &r[par.nrep - 1];
            smear(c, 3, 0.05);
            measure(c, obs);
            timeslices(c, slice);
            for (int d = 0; d < 3; d++)
                corr_dir(c, d == 0 ? 1 : (d == 1 ? L : (long)L * L), corr + d * (L / 2 + 1));
            field_histogram(c, hist, NB);
            blk = block_spin(c, coarse);
            reorder_time(c, tfast);
            line_average(c, avg);
            series_add(obs);
        }
        if (it % 100 == 0) {
            int ml = (int)(series_length() / 2);
            series_tau(tau, ml);
            if (me == 0)
                printf("%6d m2 %.6f e %.6f blk %.4f acc %.3f tau %.2f %.2f t0 %.3e\n", it, obs[1], obs[5], blk, obs[4] / np, tau[0], tau[5], (double)tfast[0] + slice[0]);
        }
        check_stop(me, &stop);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (series_length() >= 8)
        series_jackknife(err, 8);
    else
        memset(err, 0, sizeof err);
    if (me == 0)
        printf("wall %.2f s, m2 error %.2e, corr(1) %.4f %.4f %.4f\n", MPI_Wtime() - t0, err[1], corr[1], corr[L / 2 + 2], corr[L + 3]);
    write_results(hist, corr, 3 * (L / 2 + 1), me, np);
    for (int k = 0; k < par.nrep; k++)
        for (int d = 0; d < 3; d++)
            free(r[k].J[d]);
    MPI_Finalize();
    return 0;
}
