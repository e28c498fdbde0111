#include "amg.h"

/* l1-scaled Jacobi; the ghost weights come from the neighbour's diagonal */
void relax_jacobi(amg_t *m, level_t *l, int nsweep, double omega)
{
    MPI_Request rq[4];
    for (int s = 0; s < nsweep; s++) {
        halo_begin(m, l, l->dinv, l->gdinv, rq);
        halo_end(rq);
        halo_begin(m, l, l->x, l->ghost, rq);
        halo_end(rq);
        #pragma omp parallel for
        for (int i = 0; i < l->n; i++) {
            double a = l->b[i];
            for (int k = l->D.ptr[i]; k < l->D.ptr[i+1]; k++)
                a -= l->D.val[k]*l->x[l->D.col[k]];
            l->t[i] = a;
        }
        #pragma omp parallel for
        for (int i = 0; i < l->n; i++)
            for (int k = l->G.ptr[i]; k < l->G.ptr[i+1]; k++) {
                int c = l->G.col[k];
                l->t[i] -= l->G.val[k]*l->ghost[c]*(l->gdinv[c] > 0.0 ? 1.0 : 0.0);
            }
        #pragma omp parallel for
        for (int i = 0; i < l->n; i++)
            l->x[i] += omega*l->dinv[i]*l->t[i];
    }
}

/* multicolour Gauss-Seidel in the local block, Jacobi across ranks */
void relax_colour(amg_t *m, level_t *l, int nsweep)
{
    MPI_Request rq[4];
    const int nc = l->colptr[0];
    const int *cp = l->colptr + 1;
    for (int s = 0; s < nsweep; s++) {
        halo_begin(m, l, l->x, l->ghost, rq);
        halo_end(rq);
        #pragma omp parallel
        {
            for (int c = 0; c < nc; c++) {
                #pragma omp for schedule(static)
                for (int q = cp[c]; q < cp[c+1]; q++) {
                    int i = l->collist[q];
                    double a = l->b[i];
                    for (int k = l->D.ptr[i]; k < l->D.ptr[i+1]; k++)
                        if (l->D.col[k] != i) a -= l->D.val[k]*l->x[l->D.col[k]];
                    for (int k = l->G.ptr[i]; k < l->G.ptr[i+1]; k++)
                        a -= l->G.val[k]*l->ghost[l->G.col[k]];
                    l->x[i] = a*l->dinv[i];
                }
                #pragma omp barrier
            }
        }
    }
}
