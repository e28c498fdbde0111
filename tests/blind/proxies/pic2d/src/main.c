#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "pic.h"

static void defaults(pic_t *s)
{
    species_t *e = &s->sp[0], *b = &s->sp[1], *i = &s->sp[2];
    s->nsp = 3;
    strcpy(e->name, "e1"); e->q = -1; e->m = 1;    e->vth = 0.05; e->drift =  0.5; e->mobile = 1;
    strcpy(b->name, "e2"); b->q = -1; b->m = 1;    b->vth = 0.05; b->drift = -0.5; b->mobile = 1;
    strcpy(i->name, "i");  i->q =  1; i->m = 1836; i->vth = 0.01; i->drift =  0.0; i->mobile = 0;
    s->lx = 16.0; s->ly = 32.0;
    s->dx = s->lx/NX; s->dy = s->ly/NY;
    s->dt = 0.02;
}

int main(int argc, char **argv)
{
    pic_t *s = calloc(1, sizeof *s);
    int npc = 2, nstep = 12, dump = 0, prov;
    double pow[8], e[4] = {0}, npcmax = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &prov);
    s->comm = MPI_COMM_WORLD;
    MPI_Comm_rank(s->comm, &s->rank);
    MPI_Comm_size(s->comm, &s->size);
    if (argc > 1) nstep = atoi(argv[1]);
    if (argc > 2) npc = atoi(argv[2]);
    if (argc > 3) dump = atoi(argv[3]);
    defaults(s);
    int per = (int)((long)npc*NX*NY/s->size);
    s->sp[0].np = per/4; s->sp[1].np = per/4; s->sp[2].np = per/2;
    s->np = per;
    pic_alloc(s);
    pic_load(s);

    MPI_Barrier(s->comm);
    double t0 = MPI_Wtime();
    for (int it = 0; it < nstep; it++) {
        if (it % 5 == 0) sort_cells(s);
        deposit_rho(s);
        deposit_current(s);
        reduce_sources(s);
        smooth(s->rho, s->wk);
        smooth(s->jx, s->wk);
        smooth(s->jy, s->wk);
        double h2 = s->dx*s->dx;
        #pragma omp parallel for
        for (int c = 0; c < NX*NY; c++) s->rho[c] *= h2;
        solve_phi(s, 8);
        efield(s);
        push(s);
        if (it % 5 == 0) collide(s);
        energies(s, e);
        moments(s, &npcmax);
        spectrum(s, pow, 4);
        if (dump && it % dump == 0) dump_sample(s, it);
        if (s->rank == 0)
            printf("%4d  ek %.5e  ef %.5e  px %.2e  vmax %.3f  npc %g  k1 %.3e\n", it, e[0], e[1], e[2], e[3], npcmax, pow[0]);
        fflush(stdout);
        usleep(5000);
    }
    double t = MPI_Wtime() - t0;
    long np = 0, nw = 0;
    for (int k = 0; k < MAXT; k++) { np += s->stat[k].npush; nw += s->stat[k].nwrap; }
    MPI_Allreduce(MPI_IN_PLACE, &np, 1, MPI_LONG, MPI_SUM, s->comm);
    MPI_Allreduce(MPI_IN_PLACE, &nw, 1, MPI_LONG, MPI_SUM, s->comm);
    if (s->rank == 0) printf("pushed %ld wrapped %ld in %.3f s\n", np, nw, t);
    pic_free(s);
    free(s);
    MPI_Finalize();
    return 0;
}
