#include "pic.h"

/* radix 2, in place, after Numerical Recipes */
void fft1(Cmplx *a, int n, int isign)
{
  int i, j, m, mmax, istep;
  Cmplx t;
  for (i = 0, j = 0; i < n; i++) {
    if (j > i) { t = a[i]; a[i] = a[j]; a[j] = t; }
    for (m = n >> 1; m >= 1 && (j & m); m >>= 1) j ^= m;
    j |= m;
  }
  for (mmax = 1; mmax < n; mmax = istep) {
    double th = isign*TWOPI/(2*mmax), wpr = cos(th), wpi = sin(th), wr = 1, wi = 0, wt;
    istep = 2*mmax;
    for (m = 0; m < mmax; m++) {
      for (i = m; i < n; i += istep) {
        j = i + mmax;
        t.re = wr*a[j].re - wi*a[j].im;
        t.im = wr*a[j].im + wi*a[j].re;
        a[j].re = a[i].re - t.re; a[j].im = a[i].im - t.im;
        a[i].re += t.re;          a[i].im += t.im;
      }
      wt = wr; wr = wr*wpr - wi*wpi; wi = wi*wpr + wt*wpi;
    }
  }
}

void fft_xy(Cmplx *a, int isign)
{
  int i, j, k;
#pragma omp parallel for private(i,j) schedule(static)
  for (k = 0; k < nzl; k++) {
    Cmplx line[1024], *pl = a + k*nx*ny;
    for (j = 0; j < ny; j++) fft1(pl + j*nx, nx, isign);
    for (i = 0; i < nx; i++) {
      for (j = 0; j < ny; j++) line[j] = pl[j*nx + i];
      fft1(line, ny, isign);
      for (j = 0; j < ny; j++) pl[j*nx + i] = line[j];
    }
  }
}

void fft_z(Cmplx *a, int isign)
{
  int l;
#pragma omp parallel for
  for (l = 0; l < nx*nyl; l++) fft1(a + l*nz, nz, isign);
}

/* slabs in z -> slabs in y */
void transpose_fwd(Cmplx *a, Cmplx *b)
{
  int p, i, j, k, blk = nx*nyl*nzl;
  Cmplx *s = (Cmplx *) malloc(2*nproc*blk*sizeof(Cmplx)), *r = s + nproc*blk;
  for (p = 0; p < nproc; p++)
    for (k = 0; k < nzl; k++)
      memcpy(s + p*blk + k*nyl*nx, a + (k*ny + p*nyl)*nx, nyl*nx*sizeof(Cmplx));
  MPI_Alltoall(s, 2*blk, MPI_DOUBLE, r, 2*blk, MPI_DOUBLE, MPI_COMM_WORLD);
  for (p = 0; p < nproc; p++)
    for (j = 0; j < nyl; j++)
      for (i = 0; i < nx; i++)
        for (k = 0; k < nzl; k++)
          b[KI(i,j,p*nzl + k)] = r[p*blk + (k*nyl + j)*nx + i];
  free(s);
}

void transpose_bwd(Cmplx *b, Cmplx *a)
{
  int p, i, j, k, blk = nx*nyl*nzl;
  MPI_Request *rq = (MPI_Request *) malloc(2*nproc*sizeof(MPI_Request));
  Cmplx *s = (Cmplx *) malloc(2*nproc*blk*sizeof(Cmplx)), *r = s + nproc*blk;
  for (p = 0; p < nproc; p++)
    for (k = 0; k < nzl; k++)
      for (j = 0; j < nyl; j++)
        for (i = 0; i < nx; i++)
          s[p*blk + (k*nyl + j)*nx + i] = b[KI(i,j,p*nzl + k)];
  for (p = 0; p < nproc; p++) {
    MPI_Irecv(r + p*blk, 2*blk, MPI_DOUBLE, p, 40, MPI_COMM_WORLD, rq + p);
    MPI_Isend(s + p*blk, 2*blk, MPI_DOUBLE, p, 40, MPI_COMM_WORLD, rq + nproc + p);
  }
  MPI_Waitall(2*nproc, rq, MPI_STATUSES_IGNORE);
  for (p = 0; p < nproc; p++)
    for (k = 0; k < nzl; k++)
      memcpy(a + (k*ny + p*nyl)*nx, r + p*blk + k*nyl*nx, nyl*nx*sizeof(Cmplx));
  free(s);
  free(rq);
}
