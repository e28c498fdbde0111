/* sp_relax.c - smoothers */
#include "sp.h"

void sp_Jacobi(spMatrix *A, double *x, double *b, double *tmp, int nsweep)
{
  int s, i, n = A->n;
  for (s = 0; s < nsweep; s++) {
    /* ghosts of x for the product */
    spCommHandle *h = sp_CommBegin(A, x);
    sp_CommEnd(h);
    sp_Matvec(A, x, tmp);
#pragma omp parallel private(i)
    {
#pragma omp for schedule(static)
      for (i = 0; i < n; i++) tmp[i] = 0.7*A->dinv[i]*(b[i] - tmp[i]);
#pragma omp barrier
#pragma omp for schedule(static)
      for (i = 0; i < n; i++) x[i] += tmp[i];
    }
  }
}

/* two-colour hybrid Gauss-Seidel, Jacobi between the threads' blocks */
void sp_GaussSeidel(spMatrix *A, double *x, double *b, int nsweep)
{
  int s, c, i, n = A->n;
  double *old = spTAlloc(double, n + A->nghost);
  for (s = 0; s < nsweep; s++) {
    sp_ExchangeOrdered(A, x);
    for (c = 0; c < 2; c++) {
#pragma omp parallel for schedule(static)
      for (i = 0; i < n + A->nghost; i++) old[i] = x[i];
#pragma omp parallel
      {
        int nt = omp_get_num_threads(), t = omp_get_thread_num(), j, k;
        int lo = (int)((long) n*t/nt), hi = (int)((long) n*(t+1)/nt);
        for (k = lo; k < hi; k++) {
          double r;
          if ((k & 1) != c) continue;
          r = b[k];
          for (j = A->ia[k]; j < A->ia[k+1]; j++) {
            const spEntry *e = &A->ent[j];
            r -= e->val*(e->col >= lo && e->col < hi ? x[e->col] : old[e->col]);
          }
          x[k] += A->dinv[k]*r;
        }
      }
    }
  }
  spFree(old);
}
