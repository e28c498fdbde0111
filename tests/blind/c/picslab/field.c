#include "pic.h"

static double *kfac;    /* Green function, layout of ck */
static double *work;

void alloc_grid(void)
{
  int i, j, k, t, n = nx*ny*(nzl+2);
  fld = (FieldPt *) malloc(n*sizeof(FieldPt));
#pragma omp parallel for schedule(static)
  for (i = 0; i < n; i++) memset(fld + i, 0, sizeof(FieldPt));
  for (t = 0; t < nthr; t++)
    rhoth[t] = (double *) malloc(n*sizeof(double));
  work = (double *) calloc(n, sizeof(double));
  for (i = 0; i < n; i++) work[i] = 0.0;
  cw = (Cmplx *) malloc(nx*ny*nzl*sizeof(Cmplx));
  ck = (Cmplx *) malloc(nx*nyl*nz*sizeof(Cmplx));
  kfac = (double *) malloc(nx*nyl*nz*sizeof(double));
  for (k = 0; k < nz; k++)
    for (j = 0; j < nyl; j++)
      for (i = 0; i < nx; i++) {
        double sx = 2.0*sin(0.5*TWOPI*i/nx), sy = 2.0*sin(0.5*TWOPI*(j + myid*nyl)/ny);
        double sz = 2.0*sin(0.5*TWOPI*k/nz), k2 = sx*sx + sy*sy + sz*sz;
        kfac[KI(i,j,k)] = k2 > 0 ? 1.0/(k2*nx*ny*nz) : 0.0;
      }
}

/* binomial filter, npass times, in the plane */
void smooth_rho(int npass)
{
  int ip, i, j, k;
  for (ip = 0; ip < npass; ip++) {
#pragma omp parallel for private(i,j)
    for (k = 1; k <= nzl; k++)
      for (j = 0; j < ny; j++)
        for (i = 0; i < nx; i++)
          work[GI(i,j,k)] = 0.25*fld[GI(WRAP(i-1,nx),j,k)].rho
            + 0.5*fld[GI(i,j,k)].rho + 0.25*fld[GI(WRAP(i+1,nx),j,k)].rho;
#pragma omp parallel for private(i,j)
    for (k = 1; k <= nzl; k++)
      for (i = 0; i < nx; i++)
        for (j = 0; j < ny; j++)
          fld[GI(i,j,k)].rho = 0.25*work[GI(i,WRAP(j-1,ny),k)]
            + 0.5*work[GI(i,j,k)] + 0.25*work[GI(i,WRAP(j+1,ny),k)];
#pragma omp parallel for private(i,j)
    for (k = 1; k <= nzl; k++)
      for (j = 0; j < ny; j++)
        for (i = 0; i < nx; i++)
          work[GI(i,j,k)] = fld[GI(i,j,k)].rho;
  }
}

static void gradient(void)
{
  int i, j, k;
  /* E = - grad phi; z component needs the ghosts of phi */
#pragma omp parallel private(i,j,k)
  {
#pragma omp for nowait
    for (k = 1; k <= nzl; k++)
      for (j = 0; j < ny; j++)
        for (i = 0; i < nx; i++) {
          fld[GI(i,j,k)].ex = 0.5*(fld[GI(WRAP(i-1,nx),j,k)].phi - fld[GI(WRAP(i+1,nx),j,k)].phi);
          fld[GI(i,j,k)].ey = 0.5*(fld[GI(i,WRAP(j-1,ny),k)].phi - fld[GI(i,WRAP(j+1,ny),k)].phi);
        }
#pragma omp for
    for (j = 0; j < ny; j++)
      for (i = 0; i < nx; i++)
        for (k = 1; k <= nzl; k++)
          fld[GI(i,j,k)].ez = 0.5*(fld[GI(i,j,k-1)].phi - fld[GI(i,j,k+1)].phi);
  }
}

/* Poisson equation by FFT in x,y, transpose, FFT in z */
void solve_field(void)
{
  int i, j, k;
  double *sb, *rb;
  MPI_Request rq[4];
#pragma omp parallel for private(i,j)
  for (k = 1; k <= nzl; k++)
    for (j = 0; j < ny; j++)
      for (i = 0; i < nx; i++) {
        cw[((k-1)*ny + j)*nx + i].re = fld[GI(i,j,k)].rho;
        cw[((k-1)*ny + j)*nx + i].im = 0.0;
      }
  fft_xy(cw, 1);
  transpose_fwd(cw, ck);
  fft_z(ck, 1);
  for (k = 0; k < nz; k++)
    for (j = 0; j < nyl; j++)
      for (i = 0; i < nx; i++) {
        ck[KI(i,j,k)].re *= kfac[KI(i,j,k)];
        ck[KI(i,j,k)].im *= kfac[KI(i,j,k)];
      }
  fft_z(ck, -1);
  transpose_bwd(ck, cw);
  fft_xy(cw, -1);
#pragma omp parallel for private(i,j)
  for (k = 1; k <= nzl; k++)
    for (j = 0; j < ny; j++)
      for (i = 0; i < nx; i++)
        fld[GI(i,j,k)].phi = cw[((k-1)*ny + j)*nx + i].re;

  /* ghost planes of phi */
  sb = (double *) malloc(4*nx*ny*sizeof(double));
  rb = sb + 2*nx*ny;
  for (i = 0; i < nx*ny; i++) {
    sb[i]         = fld[GI(0,0,1) + i].phi;
    sb[nx*ny + i] = fld[GI(0,0,nzl) + i].phi;
  }
  MPI_Irecv(rb, nx*ny, MPI_DOUBLE, down, TAG_UP, MPI_COMM_WORLD, rq);
  MPI_Irecv(rb + nx*ny, nx*ny, MPI_DOUBLE, up, TAG_DN, MPI_COMM_WORLD, rq+1);
  MPI_Isend(sb, nx*ny, MPI_DOUBLE, down, TAG_DN, MPI_COMM_WORLD, rq+2);
  MPI_Isend(sb + nx*ny, nx*ny, MPI_DOUBLE, up, TAG_UP, MPI_COMM_WORLD, rq+3);
  MPI_Waitall(4, rq, MPI_STATUSES_IGNORE);
  for (i = 0; i < nx*ny; i++) {
    fld[i].phi = rb[i];
    fld[GI(0,0,nzl+1) + i].phi = rb[nx*ny + i];
  }
  free(sb);
  gradient();
}
