#include <string.h>
#include "pic.h"

static inline void cic(const pic_t *s, const part_t *p, int id[4], double w[4])
{
    double fx = p->x/s->dx, fy = p->y/s->dy;
    int i = (int)fx, j = (int)fy;
    if (i >= NX) i = NX - 1;
    if (j >= NY) j = NY - 1;
    double ax = fx - i, ay = fy - j;
    int ip = i + 1 < NX ? i + 1 : 0, jp = j + 1 < NY ? j + 1 : 0;
    id[0] = AT(i,j);  w[0] = (1-ax)*(1-ay);
    id[1] = AT(ip,j); w[1] = ax*(1-ay);
    id[2] = AT(i,jp); w[2] = (1-ax)*ay;
    id[3] = AT(ip,jp); w[3] = ax*ay;
}

/* charge: private copies, added up at the end */
void deposit_rho(pic_t *s)
{
    const int n = NX*NY;
    #pragma omp parallel
    {
        int tid = omp_get_thread_num(), nt = omp_get_num_threads();
        double *mine = s->priv + (size_t)tid*n;
        memset(mine, 0, n*sizeof(double));
        #pragma omp for
        for (int k = 0; k < s->np; k++) {
            int id[4]; double w[4];
            const part_t *p = &s->p[k];
            if (!p->alive) continue;
            cic(s, p, id, w);
            double q = s->sp[p->sp].q*p->w;
            for (int c = 0; c < 4; c++) mine[id[c]] += q*w[c];
        }
        #pragma omp for
        for (int c = 0; c < n; c++) {
            double a = 0.0;
            for (int t = 0; t < nt; t++)
                a += s->priv[(size_t)t*n + c];
            s->rho[c] = a;
        }
    }
}

void deposit_current(pic_t *s)
{
    const int n = NX*NY;
    #pragma omp parallel
    {
        #pragma omp for
        for (int c = 0; c < n; c++) s->jx[c] = 0.0;
        #pragma omp for
        for (int c = 0; c < n; c++) s->jy[c] = 0.0;
        #pragma omp for
        for (int k = 0; k < s->np; k++) {
            int id[4]; double w[4];
            const part_t *p = &s->p[k];
            if (!s->sp[p->sp].mobile) continue;
            cic(s, p, id, w);
            double q = s->sp[p->sp].q*p->w;
            #pragma omp critical (cur)
            for (int c = 0; c < 4; c++) {
                s->jx[id[c]] += q*p->vx*w[c];
                s->jy[id[c]] += q*p->vy*w[c];
            }
        }
    }
}

/* 1-2-1 filter in both directions */
void smooth(double *a, double *wk)
{
    #pragma omp parallel for
    for (int i = 0; i < NX; i++)
        for (int j = 0; j < NY; j++) {
            int jm = j ? j - 1 : NY - 1, jp = j < NY - 1 ? j + 1 : 0;
            wk[AT(i,j)] = 0.25*a[AT(i,jm)] + 0.5*a[AT(i,j)] + 0.25*a[AT(i,jp)];
        }
    #pragma omp parallel for
    for (int j = 0; j < NY; j++)
        for (int i = 0; i < NX; i++) {
            int im = i ? i - 1 : NX - 1, ip = i < NX - 1 ? i + 1 : 0;
            a[AT(i,j)] = 0.25*wk[AT(im,j)] + 0.5*wk[AT(i,j)] + 0.25*wk[AT(ip,j)];
        }
}

/* sum the sources over the ranks */
void reduce_sources(pic_t *s)
{
    MPI_Barrier(s->comm);
    for (int i = 0; i < NX; i++)
        MPI_Allreduce(MPI_IN_PLACE, s->rho + AT(i,0), NY, MPI_DOUBLE, MPI_SUM, s->comm);
    MPI_Allreduce(MPI_IN_PLACE, s->jx, NX*NY, MPI_DOUBLE, MPI_SUM, s->comm);
    MPI_Allreduce(MPI_IN_PLACE, s->jy, NX*NY, MPI_DOUBLE, MPI_SUM, s->comm);
}
