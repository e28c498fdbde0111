#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "seis.h"

static void usage(const char *p)
{
    printf("usage: %s [-n size] [-t steps] [-s snap_every] [-d]\n", p);
}

int main(int argc, char **argv)
{
    grid_t g;
    topo_t t;
    int nt = 40, n = 96, snap = 0, dbg = 0;

    MPI_Init(&argc, &argv);
    memset(&g, 0, sizeof g);
    for (int a = 1; a < argc; a++) {
        if (!strcmp(argv[a], "-n") && a+1 < argc) n = atoi(argv[++a]);
        else if (!strcmp(argv[a], "-t") && a+1 < argc) nt = atoi(argv[++a]);
        else if (!strcmp(argv[a], "-s") && a+1 < argc) snap = atoi(argv[++a]);
        else if (!strcmp(argv[a], "-d")) dbg = 1;
        else { usage(argv[0]); MPI_Finalize(); return 1; }
    }
    g.NX = g.NY = n; g.nz = n/2;
    g.h = 25.f;
    g.dt = 0.4f*g.h/5600.f;
    topo_init(&t, &g);
    grid_alloc(&g);
    grid_model(&g);

    volatile int hold = dbg;
    while (hold) sleep(5);      /* attach a debugger, set hold = 0 */

    int nr = 24;
    receiver_t *rec = calloc(nr, sizeof *rec);
    for (int q = 0; q < nr; q++) {
        snprintf(rec[q].name, sizeof rec[q].name, "R%02d", q);
        rec[q].x = g.h*(g.NX*0.1 + q*g.NX*0.8/nr);
        rec[q].y = g.h*g.NY*0.5;
        rec[q].comp = q % 3;
    }
    int mine = locate_receivers(&g, rec, nr), all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, t.comm);
    float *tr = calloc((size_t)nt*nr, sizeof(float));

    image_t im;
    image_alloc(&im, &g, 6);
    double mon[4] = {0,0,0,0}, tx = 0, peak = 0;
    MPI_Barrier(t.comm);
    double t0 = MPI_Wtime();
    for (int it = 0; it < nt; it++) {
        update_velocity(&g);
        apply_sponge(&g, &t);
        MPI_Barrier(t.comm);
        double te = MPI_Wtime();
        exchange_vel(&g, &t);
        tx += MPI_Wtime() - te;
        update_normal_stress(&g);
        relax_memory(&g);
        add_source(&g, &t, it);
        exchange_vel(&g, &t);
        update_shear_stress(&g);
        free_surface(&g);
        exchange_normal_stress(&g, &t);
        exchange_shear_stress(&g, &t);
        track_pgv(&g);
        sample_receivers(&g, &t, rec, nr, tr + (size_t)it*nr);
        monitor(&g, &t, mon);
        if (it % 2 == 1) image_store(&im, &g);
        if (im.have == im.nsnap) peak = image_apply(&im, &g);
        if (snap && it % snap == 0) {
            write_snapshot(&g, &t, it);
            MPI_Barrier(t.comm);
        }
        if (!isfinite(mon[0])) {
            if (t.rank == 0) fprintf(stderr, "unstable at step %d\n", it);
            MPI_Abort(t.comm, 3);
        }
    }
    MPI_Barrier(t.comm);
    double t1 = MPI_Wtime() - t0, tmax, txmax;
    MPI_Reduce(&t1, &tmax, 1, MPI_DOUBLE, MPI_MAX, 0, t.comm);
    MPI_Reduce(&tx, &txmax, 1, MPI_DOUBLE, MPI_MAX, 0, t.comm);
    if (t.rank == 0)
        printf("seis3d %d^2 x %d, %d receivers, E=%.6e S=%.6e vmax=%.3e image %.3e  time %.3f (exchange %.3f)\n",
               n, g.nz, all, mon[0], mon[1], sqrt(mon[3]), peak, tmax, txmax);
    write_traces(&t, tr, nt, nr);
    image_free(&im, &g);
    free(tr); free(rec);
    grid_free(&g);
    topo_free(&t);
    MPI_Finalize();
    return 0;
}
