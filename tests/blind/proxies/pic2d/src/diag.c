#include <math.h>
#include <stdio.h>
#include "pic.h"

/* field and kinetic energy, largest speed, momentum */
void energies(pic_t *s, double e[4])
{
    double ek = 0.0, px = 0.0, ef = 0.0, vmax = 0.0;
    #pragma omp parallel for reduction(+:ek,px) reduction(max:vmax)
    for (int k = 0; k < s->np; k++) {
        ek += s->p[k].e;
        px += s->p[k].vx;
        if (fabs(s->p[k].vx) > vmax) vmax = fabs(s->p[k].vx);
    }
    for (int j = 0; j < NY; j++) {
        const double *a = s->ex + j, *b = s->ey + j;
        for (int i = 0; i < NX; i++, a += NY, b += NY)
            ef += 0.5*(*a**a + *b**b);
    }
    double sums[2] = { ek, px };
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, s->comm);
    MPI_Allreduce(MPI_IN_PLACE, &vmax, 1, MPI_DOUBLE, MPI_MAX, s->comm);
    e[0] = sums[0]; e[1] = ef; e[2] = sums[1]; e[3] = vmax;
}

/* particles per cell, for the balance report */
void moments(pic_t *s, double *npcmax)
{
    int m = 0;
    #pragma omp parallel for
    for (int c = 0; c < NX*NY; c++) s->npc[c] = 0;
    #pragma omp parallel for
    for (int k = 0; k < s->np; k++) {
        int i = (int)(s->p[k].x/s->dx), j = (int)(s->p[k].y/s->dy);
        s->npc[AT(i,j)]++;
    }
    #pragma omp parallel
    {
        int mm = 0;
        #pragma omp for nowait
        for (int c = 0; c < NX*NY; c++)
            if (s->npc[c] > mm) mm = s->npc[c];
        #pragma omp critical
        if (mm > m) m = mm;
    }
    *npcmax = m;
}

/* power in the first modes along x, from the transposed field */
void spectrum(pic_t *s, double *pow, int nk)
{
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++)
            s->tr[j*NX + i] = s->ex[AT(i,j)];
    for (int k = 0; k < nk; k++) {
        double sum = 0.0;
        for (int j = 0; j < NY; j += 16) {
            double re = 0.0, im = 0.0;
            for (int i = 0; i < NX; i++) {
                double ph = 2.0*M_PI*(k + 1)*i/NX;
                re += s->tr[j*NX + i]*cos(ph);
                im += s->tr[j*NX + i]*sin(ph);
            }
            sum += re*re + im*im;
        }
        pow[k] = sum;
    }
}

/* every 1000th particle to rank 0, which writes as they come */
void dump_sample(pic_t *s, int it)
{
    int n = s->np/1000;
    double *b = malloc((2*n + 2)*sizeof(double));
    for (int k = 0; k < n; k++) { b[2*k] = s->p[1000*k].x; b[2*k+1] = s->p[1000*k].vx; }
    if (s->rank == 0) {
        char fn[64];
        snprintf(fn, sizeof fn, "sample%04d.dat", it);
        FILE *f = fopen(fn, "w");
        for (int r = 0; f && r < s->size; r++) {
            int m = 2*n;
            if (r) {
                MPI_Status st;
                MPI_Probe(r, 9, s->comm, &st);
                MPI_Get_count(&st, MPI_DOUBLE, &m);
                b = realloc(b, (m + 2)*sizeof(double));
                MPI_Recv(b, m, MPI_DOUBLE, r, 9, s->comm, &st);
            }
            fwrite(b, sizeof(double), m, f);
        }
        if (f) fclose(f);
    } else
        MPI_Send(b, 2*n, MPI_DOUBLE, 0, 9, s->comm);
    free(b);
}
