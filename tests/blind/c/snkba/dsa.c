#include "sn.h"
/* diffusion acceleration of a group: a few CG iterations, one ghost layer in y */

#define W(i,j,k) (((k)*(ny+2) + (j))*nx + (i))

static double dcoef[32][32][32];
static double rem[32][32][33];

static void fill_rows(double *v, int jsrc, double *b)
{
  int k;
  for (k = 0; k < nz; k++) memcpy(b + k*nx, v + W(0,jsrc,k), nx*sizeof(double));
}

static void put_rows(double *v, int jdst, double *b)
{
  int k;
  for (k = 0; k < nz; k++) memcpy(v + W(0,jdst,k), b + k*nx, nx*sizeof(double));
}

static void halo_y(double *v)
{
  int n = nx*nz;
  double *b = (double *) calloc(4*n, sizeof(double));
  MPI_Request rq[4];
  fill_rows(v, 1, b);
  fill_rows(v, ny, b + n);
  MPI_Irecv(b + 2*n, n, MPI_DOUBLE, ylo, 21, MPI_COMM_WORLD, rq);
  MPI_Irecv(b + 3*n, n, MPI_DOUBLE, yhi, 22, MPI_COMM_WORLD, rq + 1);
  MPI_Isend(b, n, MPI_DOUBLE, ylo, 22, MPI_COMM_WORLD, rq + 2);
  MPI_Isend(b + n, n, MPI_DOUBLE, yhi, 21, MPI_COMM_WORLD, rq + 3);
  MPI_Waitall(4, rq, MPI_STATUSES_IGNORE);
  put_rows(v, 0, b + 2*n);
  put_rows(v, ny + 1, b + 3*n);
  free(b);
}

static void matvec(double *x, double *y)
{
  int i, j, k;
  halo_y(x);
#pragma omp parallel for private(i,j) schedule(static)
  for (k = 0; k < nz; k++)
    for (j = 1; j <= ny; j++)
      for (i = 0; i < nx; i++) {
        int ic = i & 31, jc = j & 31, kc = k & 31;
        double d = dcoef[kc][jc][ic] + dcoef[(kc+1) & 31][jc][ic];
        double s = (6*d + rem[kc][jc][ic])*x[W(i,j,k)];
        if (i > 0) s -= d*x[W(i-1,j,k)];
        if (i < nx-1) s -= d*x[W(i+1,j,k)];
        s -= d*x[W(i,j-1,k)] + d*x[W(i,j+1,k)];
        if (k > 0) s -= d*x[W(i,j,k-1)];
        if (k < nz-1) s -= d*x[W(i,j,k+1)];
        y[W(i,j,k)] = s;
      }
}

static double dot(double *a, double *b)
{
  int i, j, k;
  double s = 0;
#pragma omp parallel for private(i,j) reduction(+:s)
  for (k = 0; k < nz; k++)
    for (j = 1; j <= ny; j++)
      for (i = 0; i < nx; i++) s += a[W(i,j,k)]*b[W(i,j,k)];
  return s;
}

void dsa(int g)
{
  int it, i, j, k, n = nx*(ny+2)*nz;
  double *x = (double *) calloc(4*n, sizeof(double)), *r = x + n, *p = r + n, *q = p + n;
  double rr, pq, al, rn, xn;
  for (k = 0; k < 32; k++) for (j = 0; j < 32; j++)
    for (i = 0; i < 32; i++) { dcoef[k][j][i] = 0.3/sigt[0][g]; rem[k][j][i] = 0.5; }
  for (k = 0; k < nz; k++)
    for (j = 1; j <= ny; j++)
      for (i = 0; i < nx; i++)
        r[W(i,j,k)] = p[W(i,j,k)] = PHI(g, CELL(i,j-1,k)) - phiold[(size_t) g*ncell + CELL(i,j-1,k)];
  rr = dot(r, r);
  MPI_Allreduce(MPI_IN_PLACE, &rr, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (it = 0; it < 10 && rr > 1e-14; it++) {
    halo_y(p);
    matvec(p, q);
    pq = dot(p, q);
    MPI_Allreduce(MPI_IN_PLACE, &pq, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    al = rr/pq;
    for (i = 0; i < n; i++) { x[i] += al*p[i]; r[i] -= al*q[i]; }
    rn = dot(r, r);
    xn = dot(x, x);
    MPI_Allreduce(MPI_IN_PLACE, &rn, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &xn, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rn < 1e-12*xn) break;
    for (i = 0; i < n; i++) p[i] = r[i] + rn/rr*p[i];
    rr = rn;
  }
  for (k = 0; k < nz; k++)
    for (j = 1; j <= ny; j++)
      for (i = 0; i < nx; i++) PHI(g, CELL(i,j-1,k)) += 0.1*x[W(i,j,k)];
  free(x);
}
