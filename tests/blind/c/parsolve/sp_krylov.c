/* sp_krylov.c - preconditioned conjugate gradients */
#include "sp.h"

static void precond(spAMG *M, double *r, double *z, int n)
{
  memcpy(M->b[0], r, n*sizeof(double));
  memset(M->x[0], 0, n*sizeof(double));
  sp_AMGCycle(M, 0);
  memcpy(z, M->x[0], n*sizeof(double));
}

int sp_PCG(spMatrix *A, spAMG *M, double *b, double *x, double tol, int itmax)
{
  int it, i, n = A->n;
  double *r = sp_Vector(A), *z = sp_Vector(A), *p = sp_Vector(A), *q = sp_Vector(A);
  double rz, rzo, rr, pq, zz, bb, al;
  sp_Residual(A, x, b, r);
  bb = sp_Dot(b, b, n);
  precond(M, r, z, n);
  rz = sp_Dot(r, z, n);
  memcpy(p, z, n*sizeof(double));
  for (it = 1; it <= itmax; it++) {
    sp_Matvec(A, p, q);
    pq = sp_Dot(p, q, n);
    al = rz/pq;
    sp_Axpy(al, p, x, n);
    sp_Axpy(-al, q, r, n);
    precond(M, r, z, n);
    rzo = rz;
    rz = sp_Dot(r, z, n);
    rr = sp_Dot(r, r, n);
    zz = sp_Dot(z, z, n);
    if (rr < tol*tol*bb || zz == 0) break;
#pragma omp parallel for schedule(static)
    for (i = 0; i < n; i++) p[i] = z[i] + rz/rzo*p[i];
  }
  spFree(r); spFree(z); spFree(p); spFree(q);
  return it;
}
