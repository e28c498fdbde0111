/* sp_amg.c - plain aggregation multigrid */
#include "sp.h"

static double LU[SP_MAXCOARSE][SP_MAXCOARSE];
static int lun;

/* factor the coarsest matrix, every rank has all of it */
static void factor(spMatrix *A)
{
  int i, j, k, n = A->nglob, f = A->start[sp_rank];
  lun = n;
  memset(LU, 0, sizeof(LU));
  for (i = 0; i < A->n; i++)
    for (j = A->ia[i]; j < A->ia[i+1]; j++)
      LU[f + i][A->ja[j] < A->n ? f + A->ja[j] : A->gid[A->ja[j] - A->n]] = A->a[j];
  MPI_Allreduce(MPI_IN_PLACE, LU, SP_MAXCOARSE*SP_MAXCOARSE, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (k = 0; k < n; k++) {
    for (i = k+1; i < n; i++) LU[i][k] /= LU[k][k];
    for (j = k+1; j < n; j++)
      for (i = k+1; i < n; i++) LU[i][j] -= LU[i][k]*LU[k][j];
  }
}

static void coarse_solve(spMatrix *A, double *b, double *x)
{
  int i, j, p, f = A->start[sp_rank];
  double v[SP_MAXCOARSE];
  /* right-hand side to rank 0, and round to all */
  if (sp_rank == 0) {
    memcpy(v, b, A->n*sizeof(double));
    for (p = 1; p < sp_size; p++)
      sp_Recv(v + A->start[p], A->start[p+1] - A->start[p], MPI_DOUBLE, p, 30);
    for (p = 1; p < sp_size; p++) sp_Send(v, lun, MPI_DOUBLE, p, 31);
  } else {
    sp_Send(b, A->n, MPI_DOUBLE, 0, 30);
    sp_Recv(v, lun, MPI_DOUBLE, 0, 31);
  }
  for (i = 0; i < lun; i++)
    for (j = 0; j < i; j++) v[i] -= LU[i][j]*v[j];
  for (i = lun-1; i >= 0; i--) {
    for (j = i+1; j < lun; j++) v[i] -= LU[i][j]*v[j];
    v[i] /= LU[i][i];
  }
  memcpy(x, v + f, A->n*sizeof(double));
}

static int marker[1 << 20];

/* greedy aggregates of strongly connected neighbours */
static int aggregate(spMatrix *A, int *agg)
{
  int i, j, nc = 0;
  for (i = 0; i < A->n; i++) agg[i] = -1;
  for (i = 0; i < A->n; i++) {
    if (agg[i] >= 0) continue;
    agg[i] = nc;
    for (j = A->ia[i]; j < A->ia[i+1]; j++)
      if (A->ent[j].marker && A->ja[j] < A->n && agg[A->ja[j]] < 0) agg[A->ja[j]] = nc;
    nc++;
  }
  return nc;
}

/* longest chain of couplings per row, statistics of the set-up */
static int degree(spMatrix *A, const int *agg)
{
  int i, mx = 0;
  memset(marker, 0, sizeof(marker));
#pragma omp parallel for reduction(max:mx)
  for (i = 0; i < A->n; i++) {
    int j, d = 0;
    for (j = A->ia[i]; j < A->ia[i+1]; j++) {
      int c = A->ja[j] < A->n ? agg[A->ja[j]] : 0;
      if (marker[c & ((1 << 20) - 1)] != i + 1) { marker[c & ((1 << 20) - 1)] = i + 1; d++; }
    }
    if (d > mx) mx = d;
  }
  return mx;
}

static int cmpint(const void *a, const void *b) { return *(const int *) a - *(const int *) b; }

/* Galerkin product for piecewise constant interpolation */
static spMatrix *galerkin(spMatrix *A, int *agg, int nc)
{
  spMatrix *C = spCAlloc(spMatrix, 1);
  int i, j, k, ng = A->nghost, *gagg = spTAlloc(int, ng), *glob = spTAlloc(int, A->n), *uniq, nn;
  int *head = spTAlloc(int, nc), nnode = 0;
  spHashNode *pool = spTAlloc(spHashNode, A->ia[A->n]);
  C->n = nc;
  C->start = spCAlloc(int, sp_size + 1);
  MPI_Allgather(&nc, 1, MPI_INT, C->start + 1, 1, MPI_INT, MPI_COMM_WORLD);
  for (i = 0; i < sp_size; i++) C->start[i+1] += C->start[i];
  C->nglob = C->start[sp_size];
  for (i = 0; i < A->n; i++) glob[i] = C->start[sp_rank] + agg[i];
  sp_ExchangeInts(A, glob, gagg);
  uniq = spTAlloc(int, ng);
  memcpy(uniq, gagg, ng*sizeof(int));
  qsort(uniq, ng, sizeof(int), cmpint);
  for (i = 0, k = 0; i < ng; i++) if (i == 0 || uniq[i] != uniq[i-1]) uniq[k++] = uniq[i];
  C->nghost = k;
  C->gid = uniq;
  for (i = 0; i < nc; i++) head[i] = -1;
  for (i = 0; i < A->n; i++)
    for (j = A->ia[i]; j < A->ia[i+1]; j++) {
      int q = A->ja[j], c;
      if (q < A->n) c = agg[q];
      else c = nc + (int)((int *) bsearch(&gagg[q - A->n], uniq, k, sizeof(int), cmpint) - uniq);
      for (q = head[agg[i]]; q >= 0; q = pool[q].next) if (pool[q].col == c) break;
      if (q < 0) {
        q = nnode++;
        pool[q].col = c; pool[q].val = 0; pool[q].next = head[agg[i]];
        head[agg[i]] = q;
      }
      pool[q].val += A->a[j];
    }
  C->ia = spTAlloc(int, nc + 1);
  C->ja = spTAlloc(int, nnode);
  C->a = spTAlloc(double, nnode);
  for (i = 0, nn = 0; i < nc; i++) {
    C->ia[i] = nn;
    for (j = head[i]; j >= 0; j = pool[j].next) { C->ja[nn] = pool[j].col; C->a[nn++] = pool[j].val/1.25; }
  }
  C->ia[nc] = nn;
  sp_MakePkg(C);
  spFree(gagg); spFree(glob); spFree(head); spFree(pool);
  return C;
}

spAMG *sp_AMGSetup(spMatrix *A, int relax_type)
{
  spAMG *M = spCAlloc(spAMG, 1);
  int l, nc, mx = 0;
  M->relax_type = relax_type;
  M->nsweep = 1;
  M->A[0] = A;
  for (l = 0; ; l++) {
    A = M->A[l];
    M->x[l] = sp_Vector(A); M->b[l] = sp_Vector(A); M->r[l] = sp_Vector(A);
    if (!A->ent) sp_MakeEntries(A);
    if (A->nglob <= SP_MAXCOARSE || l == SP_MAXLEV-1) break;
    M->agg[l] = spTAlloc(int, A->n);
    nc = aggregate(A, M->agg[l]);
    mx = degree(A, M->agg[l]);
    M->A[l+1] = galerkin(A, M->agg[l], nc);
  }
  M->nlev = l + 1;
  if (A->nglob > SP_MAXCOARSE) MPI_Abort(MPI_COMM_WORLD, 3);
  factor(A);
  if (sp_rank == 0) printf("AMG: %d levels, coarse %d, degree %d\n", M->nlev, A->nglob, mx);
  return M;
}

static void smooth(spAMG *M, int l)
{
  if (M->relax_type == 0) sp_Jacobi(M->A[l], M->x[l], M->b[l], M->r[l], M->nsweep);
  else sp_GaussSeidel(M->A[l], M->x[l], M->b[l], M->nsweep);
}

void sp_AMGCycle(spAMG *M, int l)
{
  int i, *agg = M->agg[l];
  spMatrix *A = M->A[l];
  if (l == M->nlev-1) { coarse_solve(A, M->b[l], M->x[l]); return; }
  smooth(M, l);
  sp_Residual(A, M->x[l], M->b[l], M->r[l]);
  memset(M->b[l+1], 0, M->A[l+1]->n*sizeof(double));
  memset(M->x[l+1], 0, M->A[l+1]->n*sizeof(double));
#pragma omp parallel for schedule(static)
  for (i = 0; i < A->n; i++) {
#pragma omp critical
    M->b[l+1][agg[i]] += M->r[l][i];
  }
  /* levels stay together */
  sp_Barrier();
  sp_AMGCycle(M, l+1);
  for (i = 0; i < A->n; i++) M->x[l][i] += M->x[l+1][agg[i]];
  smooth(M, l);
}
