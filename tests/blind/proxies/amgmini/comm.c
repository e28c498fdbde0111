#include "amg.h"

/* the first and last plane of the slab are contiguous in the vector */
void halo_begin(amg_t *m, level_t *l, const double *x, double *g, MPI_Request *rq)
{
    MPI_Irecv(g,         l->np, MPI_DOUBLE, m->lo, 1, m->comm, &rq[0]);
    MPI_Irecv(g + l->np, l->np, MPI_DOUBLE, m->hi, 2, m->comm, &rq[1]);
    MPI_Isend(x,                 l->np, MPI_DOUBLE, m->lo, 2, m->comm, &rq[2]);
    MPI_Isend(x + l->n - l->np,  l->np, MPI_DOUBLE, m->hi, 1, m->comm, &rq[3]);
}

void halo_end(MPI_Request *rq)
{
    MPI_Waitall(4, rq, MPI_STATUSES_IGNORE);
}

/* integer data, set-up only */
void halo_int(amg_t *m, level_t *l, const int *v, int *g)
{
    for (int i = 0; i < l->np; i++) {
        MPI_Sendrecv(&v[i], 1, MPI_INT, m->lo, 10, &g[l->np + i], 1, MPI_INT, m->hi, 10, m->comm, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&v[l->n - l->np + i], 1, MPI_INT, m->hi, 11, &g[i], 1, MPI_INT, m->lo, 11, m->comm, MPI_STATUS_IGNORE);
    }
}

/* y = A x, exchange hidden behind the local block */
void par_mv(amg_t *m, level_t *l, const double *x, double *y)
{
    MPI_Request rq[4];
    halo_begin(m, l, x, l->ghost, rq);
    csr_mv(&l->D, x, y);
    halo_end(rq);
    csr_mv_add(&l->G, l->ghost, y);
}

/* r = b - A x */
void par_residual(amg_t *m, level_t *l, const double *b, const double *x, double *r)
{
    MPI_Request rq[4];
    double t0 = MPI_Wtime();
    halo_begin(m, l, x, l->ghost, rq);
    halo_end(rq);
    m->wait_time += MPI_Wtime() - t0;
    csr_mv(&l->D, x, r);
    csr_mv_add(&l->G, l->ghost, r);
    #pragma omp parallel for
    for (int i = 0; i < l->n; i++)
        r[i] = b[i] - r[i];
}
