#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "seis.h"

/* kinetic energy, strain proxy, momentum; and the largest velocity */
void monitor(const grid_t *g, const topo_t *t, double out[4])
{
    double ek = 0, es = 0, mom = 0, vmax = 0;
    for (int j = PAD; j < g->ny + PAD; j++)
        for (int i = PAD; i < g->nx + PAD; i++)
            for (int k = PAD; k < g->nz + PAD; k++) {
                size_t n = IX(g, i, j, k);
                double v2 = (double)g->vx[n]*g->vx[n] + (double)g->vy[n]*g->vy[n] + (double)g->vz[n]*g->vz[n];
                ek  += 0.5*g->mat[n].rho*v2;
                mom += g->mat[n].rho*g->vz[n];
                es  += (double)g->txx[n]*g->txx[n] + (double)g->tyy[n]*g->tyy[n] + (double)g->tzz[n]*g->tzz[n];
                if (v2 > vmax) vmax = v2;
            }
    MPI_Allreduce(&ek,  &out[0], 1, MPI_DOUBLE, MPI_SUM, t->comm);
    MPI_Allreduce(&es,  &out[1], 1, MPI_DOUBLE, MPI_SUM, t->comm);
    MPI_Allreduce(&mom, &out[2], 1, MPI_DOUBLE, MPI_SUM, t->comm);
    MPI_Allreduce(&vmax, &out[3], 1, MPI_DOUBLE, MPI_MAX, t->comm);
}

/* one horizontal slice per snapshot, written by the ranks in turn */
void write_snapshot(const grid_t *g, const topo_t *t, int it)
{
    char fn[64];
    int tok = 0;
    snprintf(fn, sizeof fn, "snap_%05d.txt", it);
    if (t->rank > 0)
        MPI_Recv(&tok, 1, MPI_INT, t->rank - 1, 500, t->comm, MPI_STATUS_IGNORE);
    FILE *fp = fopen(fn, t->rank ? "a" : "w");
    if (fp) {
        for (int j = PAD; j < g->ny + PAD; j += 8)
            for (int i = PAD; i < g->nx + PAD; i += 8)
                fprintf(fp, "%d %d %g\n", g->gx0 + i - PAD, g->gy0 + j - PAD, g->vz[IX(g,i,j,PAD)]);
        fclose(fp);
    }
    if (t->rank < t->size - 1)
        MPI_Send(&tok, 1, MPI_INT, t->rank + 1, 500, t->comm);
}

void write_traces(const topo_t *t, const float *tr, int nt, int nr)
{
    if (t->rank) return;
    FILE *fp = fopen("traces.txt", "w");
    if (!fp) return;
    for (int q = 0; q < nr; q++) {
        double s = 0;
        for (int n = 0; n < nt; n++)
            s += fabs(tr[(size_t)n*nr + q]);
        fprintf(fp, "%d %e\n", q, s);
    }
    fclose(fp);
}
