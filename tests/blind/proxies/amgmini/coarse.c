#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "amg.h"

/* in-place inverse by Gauss-Jordan, SPD so no pivoting */
static void dense_invert(double *a, double *w, int n)
{
    for (int i = 0; i < n*n; i++) w[i] = 0.0;
    for (int i = 0; i < n; i++) w[i*n + i] = 1.0;
    for (int k = 0; k < n; k++) {
        double p = 1.0/a[k*n + k];
        for (int j = 0; j < n; j++) { a[k*n + j] *= p; w[k*n + j] *= p; }
        for (int j = 0; j < n; j++) {
            double akj = a[k*n + j], wkj = w[k*n + j];
            if (j == k) akj = 0.0;
            for (int i = 0; i < n; i++) {
                if (i == k) continue;
                double f = a[i*n + k];
                a[i*n + j] -= f*akj;
                w[i*n + j] -= f*wkj;
            }
        }
        for (int i = 0; i < n; i++)
            if (i != k) a[i*n + k] = 0.0;
    }
}

void coarse_setup(amg_t *m)
{
    level_t *l = &m->L[m->nlev - 1];
    int n = l->n*m->size, off = l->n*m->rank;
    m->nc  = n;
    double *a = calloc((size_t)n*n, sizeof(double));
    double *w = malloc((size_t)n*n*sizeof(double));
    for (int i = 0; i < l->n; i++) {
        double *row = a + (size_t)(off + i)*n;
        for (int k = l->D.ptr[i]; k < l->D.ptr[i+1]; k++) row[off + l->D.col[k]] += l->D.val[k];
        for (int k = l->G.ptr[i]; k < l->G.ptr[i+1]; k++) {
            int g = l->G.col[k];
            row[g < l->np ? off - l->np + g : off + l->n + g - l->np] += l->G.val[k];
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, a, n*n, MPI_DOUBLE, MPI_SUM, m->comm);
    dense_invert(a, w, n);
    m->inv = w;
    free(a);
    m->cb = malloc(n*sizeof(double));
    m->cx = malloc(n*sizeof(double));
}

/* right-hand side to everybody, then x = inv(A) b, redundantly */
void coarse_solve(amg_t *m)
{
    level_t *l = &m->L[m->nlev - 1];
    const int n = m->nc, nl = l->n;

    if (m->rank == 0) {
        memcpy(m->cb, l->b, nl*sizeof(double));
        for (int p = 1; p < m->size; p++)
            MPI_Recv(m->cb + p*nl, nl, MPI_DOUBLE, p, 77, m->comm, MPI_STATUS_IGNORE);
        for (int p = 1; p < m->size; p++)
            MPI_Send(m->cb, n, MPI_DOUBLE, p, 78, m->comm);
    } else {
        MPI_Send(l->b, nl, MPI_DOUBLE, 0, 77, m->comm);
        MPI_Recv(m->cb, n, MPI_DOUBLE, 0, 78, m->comm, MPI_STATUS_IGNORE);
    }

    for (int i = 0; i < n; i++) m->cx[i] = 0.0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            m->cx[i] += m->inv[(size_t)i*n + j]*m->cb[j];
    memcpy(l->x, m->cx + m->rank*nl, nl*sizeof(double));
}
