#include "sn.h"
/* sweep of the 1996 version, still used for the adjoint of the thermal group:
   one direction at a time, diagonal planes of cells */

static double wtot[2];

void sweep_old(int g, double *f)
{
  int oct, a, d, nd = nx + ny + nz - 2, nfix = 0;
  double *fx = (double *) malloc(ny*nz*sizeof(double));
  double *fy = (double *) malloc(nx*nz*sizeof(double));
  double *fz = (double *) malloc(nx*ny*sizeof(double));
  memset(f, 0, ncell*sizeof(double));
  for (oct = 0; oct < 8; oct++) {
    int sx = oct & 1 ? -1 : 1, sy = oct & 2 ? -1 : 1, sz = oct & 4 ? -1 : 1, k, j;
    for (a = 0; a < NANG; a++) {
      double cx = 2*mu[a]/dx, cy = 2*eta[a]/dy, cz = 2*xi[a]/dz;
      memset(fx, 0, ny*nz*sizeof(double));
      memset(fy, 0, nx*nz*sizeof(double));
      memset(fz, 0, nx*ny*sizeof(double));
      for (k = 0; k < nz; k++)
        MPI_Recv(fy + k*nx, nx, MPI_DOUBLE, sy > 0 ? ylo : yhi, 3000 + oct, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (j = 0; j < ny; j++)
        MPI_Recv(fz + j*nx, nx, MPI_DOUBLE, sz > 0 ? zlo : zhi, 4000 + oct, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      for (d = 0; d < nd; d++) {
#pragma omp parallel for schedule(static)
        for (k = 0; k < nz; k++) {
          int jj, kk = sz > 0 ? k : nz-1-k;
          for (jj = 0; jj < ny; jj++) {
            int ii = d - jj - k, i, jx, c;
            double p, xo, yo, zo;
            if (ii < 0 || ii >= nx) continue;
            i = sx > 0 ? ii : nx-1-ii;
            jx = sy > 0 ? jj : ny-1-jj;
            c = CELL(i, jx, kk);
            p = (QSRC(g,c) + cx*fx[kk*ny + jx] + cy*fy[kk*nx + i] + cz*fz[jx*nx + i])
                /(sigt[mat[c]][g] + cx + cy + cz);
            xo = 2*p - fx[kk*ny + jx]; yo = 2*p - fy[kk*nx + i]; zo = 2*p - fz[jx*nx + i];
            if (xo < 0) { xo = 0; nfix++; }
            if (yo < 0) { yo = 0; nfix++; }
            if (zo < 0) { zo = 0; nfix++; }
            fx[kk*ny + jx] = xo; fy[kk*nx + i] = yo; fz[jx*nx + i] = zo;
            f[c] += wt[a]*p;
#pragma omp critical
            wtot[0] += wt[a]*p;
          }
        }
      }
      for (k = 0; k < nz; k++)
        MPI_Send(fy + k*nx, nx, MPI_DOUBLE, sy > 0 ? yhi : ylo, 3000 + oct, MPI_COMM_WORLD);
      for (j = 0; j < ny; j++)
        MPI_Send(fz + j*nx, nx, MPI_DOUBLE, sz > 0 ? zhi : zlo, 4000 + oct, MPI_COMM_WORLD);
    }
  }
  wtot[1] += nfix;
  free(fx); free(fy); free(fz);
}
