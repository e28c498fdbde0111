#include <math.h>
#include <stdlib.h>
#include "amg.h"

void csr_alloc(csr_t *A, int n, int nnz)
{
    A->n   = n;
    A->nnz = nnz;
    A->ptr = calloc(n + 1, sizeof(int));
    A->col = malloc((nnz + 1)*sizeof(int));
    A->val = malloc((nnz + 1)*sizeof(double));
}

void csr_free(csr_t *A) { free(A->ptr); free(A->col); free(A->val); }

void csr_mv(const csr_t *A, const double *x, double *y)
{
    #pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < A->n; i++) {
        double s = 0.0;
        for (int k = A->ptr[i]; k < A->ptr[i+1]; k++)
            s += A->val[k]*x[A->col[k]];
        y[i] = s;
    }
}

void csr_mv_add(const csr_t *A, const double *x, double *y)
{
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < A->n; i++) {
        double s = y[i];
        for (int k = A->ptr[i]; k < A->ptr[i+1]; k++)
            s += A->val[k]*x[A->col[k]];
        y[i] = s;
    }
}

/* deterministic for a given number of threads */
double vec_dot(const double *x, const double *y, int n)
{
    static double part[MAXTHR];
    double s = 0.0;
    int nt = 1;
    #pragma omp parallel
    {
        int id = omp_get_thread_num();
        #pragma omp single
        nt = omp_get_num_threads();
        part[id] = 0.0;
        #pragma omp for
        for (int i = 0; i < n; i++)
            part[id] += x[i]*y[i];
    }
    for (int t = 0; t < nt; t++) s += part[t];
    return s;
}

double vec_maxabs(const double *x, int n)
{
    double m = 0.0;
    #pragma omp parallel
    {
        double mine = 0.0;
        #pragma omp for nowait
        for (int i = 0; i < n; i++)
            if (fabs(x[i]) > mine) mine = fabs(x[i]);
        #pragma omp critical
        if (mine > m) m = mine;
    }
    return m;
}

void vec_axpy(double a, const double *x, double *y, int n)
{
    #pragma omp parallel for simd
    for (int i = 0; i < n; i++)
        y[i] += a*x[i];
}

void vec_set(double *x, double a, int n)
{
    #pragma omp parallel for
    for (int i = 0; i < n; i++)
        x[i] = a;
}
