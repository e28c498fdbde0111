/* sp_matrix.c - matrices and vectors */
#include "sp.h"

/* 7-point Laplacian, slabs in z */
spMatrix *sp_Laplace3d(int nx, int ny, int nz)
{
  spMatrix *A = spCAlloc(spMatrix, 1);
  int p, i, j, k, row = 0, nn = 0, nl = nx*ny, z0, z1, below, above;
  A->start = spCAlloc(int, sp_size + 1);
  for (p = 0; p < sp_size; p++) A->start[p+1] = nl*(nz*(p+1)/sp_size);
  z0 = A->start[sp_rank]/nl; z1 = A->start[sp_rank+1]/nl;
  A->n = nl*(z1 - z0);
  A->nglob = nl*nz;
  below = z0 > 0 ? nl : 0; above = z1 < nz ? nl : 0;
  A->nghost = below + above;
  A->gid = spTAlloc(int, A->nghost);
  for (i = 0; i < below; i++) A->gid[i] = (z0-1)*nl + i;
  for (i = 0; i < above; i++) A->gid[below + i] = z1*nl + i;
  A->ia = spTAlloc(int, A->n + 1);
  A->ja = spTAlloc(int, 7*A->n);
  A->a = spTAlloc(double, 7*A->n);
  for (k = z0; k < z1; k++) for (j = 0; j < ny; j++) for (i = 0; i < nx; i++, row++) {
    A->ia[row] = nn;
    A->ja[nn] = row; A->a[nn++] = 6.0;
    if (i > 0)    { A->ja[nn] = row-1;  A->a[nn++] = -1.0; }
    if (i < nx-1) { A->ja[nn] = row+1;  A->a[nn++] = -1.0; }
    if (j > 0)    { A->ja[nn] = row-nx; A->a[nn++] = -1.0; }
    if (j < ny-1) { A->ja[nn] = row+nx; A->a[nn++] = -1.0; }
    if (k > 0)    { A->ja[nn] = k > z0 ? row-nl : A->n + row; A->a[nn++] = -1.0; }
    if (k < nz-1) { A->ja[nn] = k < z1-1 ? row+nl : A->n + below + row - (z1-1-z0)*nl; A->a[nn++] = -1.0; }
  }
  A->ia[A->n] = nn;
  sp_MakePkg(A);
  return A;
}

/* vectors have room for the ghosts */
double *sp_Vector(spMatrix *A)
{
  int i;
  double *v = spTAlloc(double, A->n + A->nghost);
#pragma omp parallel for schedule(static)
  for (i = 0; i < A->n; i++) v[i] = 0.0;
  for (i = A->n; i < A->n + A->nghost; i++) v[i] = 0.0;
  return v;
}

void sp_Matvec(spMatrix *A, double *x, double *y)
{
  int i;
  spCommHandle *h = sp_CommBegin(A, x);
  sp_CommEnd(h);
#pragma omp parallel for schedule(dynamic,1)
  for (i = 0; i < A->n; i++) {
    int j;
    double s = 0;
    for (j = A->ia[i]; j < A->ia[i+1]; j++) s += A->a[j]*x[A->ja[j]];
    y[i] = s;
  }
}

/* r = b - A x; interior rows while the ghosts travel */
void sp_Residual(spMatrix *A, double *x, double *b, double *r)
{
  int i, nb = 0;
  spCommHandle *h = sp_CommBegin(A, x);
  static int *brow = NULL, cap = 0;
  if (cap < A->n) { brow = (int *) realloc(brow, A->n*sizeof(int)); cap = A->n; }
#pragma omp parallel for schedule(static)
  for (i = 0; i < A->n; i++) {
    int j, ext = 0, n = A->n;
    double s = b[i];
    for (j = A->ia[i]; j < A->ia[i+1]; j++) {
      if (A->ja[j] >= n) { ext = 1; break; }
      s -= A->a[j]*x[A->ja[j]];
    }
    r[i] = s;
    if (ext) {
      int m;
#pragma omp atomic capture
      m = nb++;
      brow[m] = i;
    }
  }
  sp_CommEnd(h);
#pragma omp parallel for schedule(static)
  for (i = 0; i < nb; i++) {
    int j, q = brow[i];
    double s = b[q];
    for (j = A->ia[q]; j < A->ia[q+1]; j++) s -= A->a[j]*x[A->ja[j]];
    r[q] = s;
  }
}

/* strength of connection for the smoother and the aggregation */
void sp_MakeEntries(spMatrix *A)
{
  int i;
  A->ent = spTAlloc(spEntry, A->ia[A->n]);
  A->dinv = spTAlloc(double, A->n);
#pragma omp parallel for schedule(guided,256)
  for (i = 0; i < A->n; i++) {
    int j;
    double mx = 0;
    for (j = A->ia[i]; j < A->ia[i+1]; j++)
      if (A->ja[j] != i && -A->a[j] > mx) mx = -A->a[j];
    for (j = A->ia[i]; j < A->ia[i+1]; j++) {
      spEntry *e = &A->ent[j];
      e->val = A->a[j];
      e->col = A->ja[j];
      e->strength = mx > 0 ? -A->a[j]/mx : 0;
      e->marker = e->col != i && e->strength > 0.25;
      if (e->col == i) A->dinv[i] = 1.0/e->val;
    }
  }
}

double sp_LocalDot(const double *x, const double *y, int n)
{
  int i;
  double s = 0, part[SP_MAXTHR];
  memset(part, 0, sizeof(part));
#pragma omp parallel
  {
    int t = omp_get_thread_num();
#pragma omp for schedule(static)
    for (i = 0; i < n; i++) part[t] += x[i]*y[i];
  }
  for (i = 0; i < SP_MAXTHR; i++) s += part[i];
  return s;
}

double sp_Dot(const double *x, const double *y, int n)
{
  return sp_Sum(sp_LocalDot(x, y, n));
}

void sp_Axpy(double a, const double *x, double *y, int n)
{
  int i;
#pragma omp parallel for schedule(static)
  for (i = 0; i < n; i++) y[i] += a*x[i];
}
