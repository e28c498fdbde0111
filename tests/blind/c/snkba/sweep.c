#include "sn.h"
/* KBA sweep: x in chunks, all groups and angles of a chunk together */

#define TAGY 1000
#define TAGZ 2000

static void sweep_chunk(int g, int i0, int sx, int sy, int sz)
{
  int i, j, k, a, jj, kk, ii;
  ThrStat *ts = &tstat[omp_get_thread_num()];
  for (kk = 0; kk < nz; kk++) {
    k = sz > 0 ? kk : nz-1-kk;
    for (jj = 0; jj < ny; jj++) {
      j = sy > 0 ? jj : ny-1-jj;
      for (ii = 0; ii < ich; ii++) {
        int c;
        double s = 0, q, st;
        i = sx > 0 ? ii : ich-1-ii;
        c = CELL(i0 + i, j, k);
        q = QSRC(g,c);
        st = sigt[mat[c]][g];
        for (a = 0; a < NANG; a++) {
          double cx = 2*mu[a]/dx, cy = 2*eta[a]/dy, cz = 2*xi[a]/dz;
          double p = (q + cx*IB(g,k,j,a) + cy*JB(g,k,i,a) + cz*KB(g,j,i,a))/(st + cx + cy + cz);
          double xo = 2*p - IB(g,k,j,a), yo = 2*p - JB(g,k,i,a), zo = 2*p - KB(g,j,i,a);
          if (xo < 0) { xo = 0; ts->nfix++; }
          if (yo < 0) { yo = 0; ts->nfix++; }
          if (zo < 0) { zo = 0; ts->nfix++; }
          IB(g,k,j,a) = xo; JB(g,k,i,a) = yo; KB(g,j,i,a) = zo;
          s += wt[a]*p;
        }
        PHI(g,c) += s;
      }
    }
  }
}

void sweep(void)
{
  int oct, ic, g, nch = nx/ich;
  size_t nj = (size_t) ng*nz*ich*NANG, nk = (size_t) ng*ny*ich*NANG;
  memset(phi, 0, (size_t) ng*ncell*sizeof(double));
  for (oct = 0; oct < 8; oct++) {
    int sx = oct & 1 ? -1 : 1, sy = oct & 2 ? -1 : 1, sz = oct & 4 ? -1 : 1;
    int fy = sy > 0 ? ylo : yhi, ty = sy > 0 ? yhi : ylo;
    int fz = sz > 0 ? zlo : zhi, tz = sz > 0 ? zhi : zlo;
    memset(ib, 0, (size_t) ng*nz*ny*NANG*sizeof(double));
    for (ic = 0; ic < nch; ic++) {
      int i0 = (sx > 0 ? ic : nch-1-ic)*ich;
      memset(jb, 0, nj*sizeof(double));
      memset(kb, 0, nk*sizeof(double));
      MPI_Recv(jb, nj, MPI_DOUBLE, fy, TAGY + oct, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(kb, nk, MPI_DOUBLE, fz, TAGZ + oct, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for schedule(static,1)
      for (g = 0; g < ng; g++) sweep_chunk(g, i0, sx, sy, sz);
      MPI_Send(jb, nj, MPI_DOUBLE, ty, TAGY + oct, MPI_COMM_WORLD);
      MPI_Send(kb, nk, MPI_DOUBLE, tz, TAGZ + oct, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/* largest relative change, all groups */
double converged(void)
{
  int g, c;
  double dmax[MAXG], all = 0, thr[MXTHR];
  memset(thr, 0, sizeof(thr));
#pragma omp parallel for private(c) schedule(static)
  for (g = 0; g < ng; g++) {
    int t = omp_get_thread_num();
    dmax[g] = 0;
    for (c = 0; c < ncell; c++) {
      double d = fabs(PHI(g,c) - phiold[(size_t) g*ncell + c])/(fabs(PHI(g,c)) + 1e-20);
      if (d > dmax[g]) dmax[g] = d;
      thr[t] += d;
    }
  }
  for (g = 0; g < ng; g++) {
    MPI_Allreduce(MPI_IN_PLACE, &dmax[g], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (dmax[g] > all) all = dmax[g];
  }
  if (thr[0] < 0) printf("?\n");
  return all;
}
