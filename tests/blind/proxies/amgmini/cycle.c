#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "amg.h"

static void restrict_vec(level_t *l, level_t *c)
{
    /* children of a coarse point are known from the box structure */
    #pragma omp parallel for collapse(2)
    for (int K = 0; K < c->nz; K++)
        for (int J = 0; J < c->ny; J++)
            for (int I = 0; I < c->nx; I++) {
                double s = 0.0;
                for (int d = 0; d < 8; d++)
                    s += l->r[((2*K + (d>>2))*l->ny + 2*J + (d>>1 & 1))*l->nx + 2*I + (d & 1)];
                c->b[(K*c->ny + J)*c->nx + I] = s;
            }
}

static void prolong_add(level_t *l, const level_t *c)
{
    for (int i = 0; i < l->n; i++)
        l->x[i] += c->x[l->agg[i]];
}

void amg_cycle(amg_t *m, int lev)
{
    level_t *l = &m->L[lev];
    if (lev == m->nlev - 1) {
        coarse_solve(m);
        return;
    }
    vec_set(l->x, 0.0, l->n);
    if (lev == 0) relax_jacobi(m, l, 2, 0.8);
    else          relax_colour(m, l, 1);
    par_residual(m, l, l->b, l->x, l->r);
    restrict_vec(l, l + 1);
    MPI_Barrier(m->comm);
    amg_cycle(m, lev + 1);
    prolong_add(l, l + 1);
    if (lev == 0) relax_jacobi(m, l, 2, 0.8);
    else          relax_colour(m, l, 1);
}

int amg_pcg(amg_t *m, const double *b, double *x, double tol, int maxit, double *res)
{
    level_t *l = &m->L[0];
    int n = l->n, it;
    double *r = malloc(n*sizeof(double)), *p = malloc(n*sizeof(double)), *q = malloc(n*sizeof(double));
    double rz, rz0 = 1.0, rr, bb, pq, alpha;

    vec_set(x, 0.0, n);
    vec_set(p, 0.0, n);
    #pragma omp parallel for
    for (int i = 0; i < n; i++) r[i] = b[i];
    bb = vec_dot(b, b, n);
    MPI_Allreduce(MPI_IN_PLACE, &bb, 1, MPI_DOUBLE, MPI_SUM, m->comm);
    rr = bb;
    for (it = 1; it <= maxit; it++) {
        #pragma omp parallel for
        for (int i = 0; i < n; i++) l->b[i] = r[i];
        amg_cycle(m, 0);
        rz = vec_dot(r, l->x, n);
        rr = vec_dot(r, r, n);
        MPI_Allreduce(MPI_IN_PLACE, &rz, 1, MPI_DOUBLE, MPI_SUM, m->comm);
        MPI_Allreduce(MPI_IN_PLACE, &rr, 1, MPI_DOUBLE, MPI_SUM, m->comm);
        if (sqrt(rr) < tol*sqrt(bb)) break;
        double beta = it == 1 ? 0.0 : rz/rz0;
        #pragma omp parallel for
        for (int i = 0; i < n; i++) p[i] = l->x[i] + beta*p[i];
        par_mv(m, l, p, q);
        pq = vec_dot(p, q, n);
        MPI_Allreduce(MPI_IN_PLACE, &pq, 1, MPI_DOUBLE, MPI_SUM, m->comm);
        alpha = rz/pq;
        vec_axpy( alpha, p, x, n);
        vec_axpy(-alpha, q, r, n);
        rz0 = rz;
    }
    *res = sqrt(rr/bb);
    free(r); free(p); free(q);
    return it;
}
