/* sp_multivec.c - a bundle of test vectors, relaxed together */
#include "sp.h"

#define V(i,k) v[(size_t)(i)*nv + (k)]

/* worst test vector: ||A v||/||v||, vectors interleaved by row */
double sp_TestVectors(spMatrix *A, int nv, int nit)
{
  int it, i, j, k, n = A->n;
  double *v = spTAlloc(double, (size_t) n*nv), *w = sp_Vector(A), *x = sp_Vector(A), *nrm, worst = 0;
  double (*g)[4] = (double (*)[4]) spCAlloc(double, 4*nv);
  for (i = 0; i < n; i++)
    for (k = 0; k < nv; k++) V(i,k) = ((i*31 + k*17)%101)/101.0 - 0.5;
  nrm = spCAlloc(double, 2*nv);
  for (it = 0; it < nit; it++) {
    for (k = 0; k < nv; k++) {
      for (i = 0; i < n; i++) x[i] = V(i,k);
      sp_Matvec(A, x, w);
      for (i = 0; i < n; i++) V(i,k) = x[i] - 0.12*w[i];
    }
    for (k = 0; k < nv; k++) nrm[k] = nrm[nv+k] = 0;
    for (i = 0; i < n; i++)
      for (k = 0; k < nv; k++) nrm[k] += V(i,k)*V(i,k);
    sp_SumV(nrm, nv);
    for (k = 0; k < nv; k++)
      for (j = 0; j < 4; j++) g[k][j] += nrm[k];
    for (k = 0; k < nv; k++) {
      double s = 1.0/sqrt(nrm[k] + 1e-300);
      for (i = 0; i < n; i++) V(i,k) *= s;
    }
  }
  for (k = 0; k < nv; k++) if (nrm[k] > worst) worst = nrm[k];
  spFree(v); spFree(w); spFree(x); spFree(nrm); spFree(g);
  return worst;
}
