#include "ocn.h"

void ocn_abort(const char *f, int l)
{
  fprintf(stderr, "MPI trouble at %s:%d\n", f, l);
  MPI_Abort(COMM, 9);
}

static double *field(int n)
{
  double *p = (double *) calloc(n, sizeof(double));
  if (!p) ocn_abort(__FILE__, __LINE__);
  return p;
}

void init_grid(int argc, char **argv)
{
  int i, j, k, d[2] = {0, 0}, n2, n3;
  nx = argc > 1 ? atoi(argv[1]) : 128;
  ny = argc > 2 ? atoi(argv[2]) : 96;
  CHK(MPI_Dims_create(nproc, 2, d));
  npx = d[0]; npy = d[1];
  px = myproc%npx; py = myproc/npx;
  nxl = nx/npx; nyl = ny/npy;
  west  = px > 0 ? myproc-1 : MPI_PROC_NULL;
  east  = px < npx-1 ? myproc+1 : MPI_PROC_NULL;
  south = py > 0 ? myproc-npx : MPI_PROC_NULL;
  north = py < npy-1 ? myproc+npx : MPI_PROC_NULL;
  n2 = NXP*NYP; n3 = n2*KM;
  eta = field(n2); ubt = field(n2); vbt = field(n2); dep = field(n2); cor = field(n2); msk = field(n2);
  u = field(n3); v = field(n3); rho = field(n3); prs = field(n3);
  temp = field(n3); salt = field(n3); tnew = field(n3);
  surf = (Surf *) calloc(n2, sizeof(Surf));
  for (i = 0; i < NXP; i++)
    for (j = 0; j < NYP; j++) {
      double x = (px*nxl + i)/(double) nx, y = (py*nyl + j)/(double) ny;
      dep[I2(i,j)] = 4000.0*(1 - 0.5*SQ(x - 0.5) - 0.3*SQ(y - 0.5));
      cor[I2(i,j)] = 1e-4*(0.5 + y);
      msk[I2(i,j)] = SQ(x - 0.7) + SQ(y - 0.3) < 0.01 ? 0.0 : 1.0;
      eta[I2(i,j)] = 0.5*exp(-50*(SQ(x - 0.3) + SQ(y - 0.5)));
      surf[I2(i,j)].taux = 0.1*cos(3.14159*y);
      surf[I2(i,j)].area = dxm*dxm;
      for (k = 0; k < KM; k++) {
        TR(temp,i,j,k) = 20.0*y*exp(-0.2*k) + 2.0;
        TR(salt,i,j,k) = 35.0 - 0.5*exp(-0.3*k);
      }
    }
  ndrift = 20000;
  dft = (Drifter *) calloc(ndrift, sizeof(Drifter));
  for (k = 0; k < ndrift; k++) {
    dft[k].on = 1;
    dft[k].x = 1 + (k*7919 % 10007)/10007.0*(nxl - 1);
    dft[k].y = 1 + (k*104729 % 10009)/10009.0*(nyl - 1);
    dft[k].lev = k%KM;
  }
  ngauge = 24;
  gauge = (Gauge *) calloc(ngauge, sizeof(Gauge));
  for (k = 0; k < ngauge; k++) {
    gauge[k].i = 1 + (k*37)%nxl;
    gauge[k].j = 1 + (k*53)%nyl;
    gauge[k].here = k%nproc == myproc;
  }
}

/* ghost ring of a horizontal field */
void exch2d(double *f)
{
  int j;
  static double *b = NULL;
  if (!b) b = field(4*(NYP > NXP ? NYP : NXP));
  SWAP(north, f + I2(0,nyl), south, f + I2(0,0), NXP, 1);
  SWAP(south, f + I2(0,1), north, f + I2(0,nyl+1), NXP, 2);
  for (j = 0; j < NYP; j++) b[j] = f[I2(nxl,j)];
  SWAP(east, b, west, b + NYP, NYP, 3);
  if (west >= 0) for (j = 0; j < NYP; j++) f[I2(0,j)] = b[NYP + j];
  for (j = 0; j < NYP; j++) b[j] = f[I2(1,j)];
  SWAP(west, b, east, b + NYP, NYP, 4);
  if (east >= 0) for (j = 0; j < NYP; j++) f[I2(nxl+1,j)] = b[NYP + j];
}

/* level by level */
void exch3d(double *f)
{
  int k;
  for (k = 0; k < KM; k++)
    exch2d(f + k*NXP*NYP);
}

/* columns of a tracer are contiguous, so a row is one block */
void exch_tr(double *f)
{
  int j, n = KM*NXP;
  double *b = (double *) malloc(4*KM*NYP*sizeof(double));
  MPI_Request rq[8];
  CHK(MPI_Irecv(&TR(f,0,0,0), n, MPI_DOUBLE, south, 11, COMM, rq));
  CHK(MPI_Irecv(&TR(f,0,nyl+1,0), n, MPI_DOUBLE, north, 12, COMM, rq+1));
  CHK(MPI_Isend(&TR(f,0,nyl,0), n, MPI_DOUBLE, north, 11, COMM, rq+2));
  CHK(MPI_Isend(&TR(f,0,1,0), n, MPI_DOUBLE, south, 12, COMM, rq+3));
  for (j = 0; j < NYP; j++) {
    memcpy(b + j*KM, &TR(f,1,j,0), KM*sizeof(double));
    memcpy(b + (NYP+j)*KM, &TR(f,nxl,j,0), KM*sizeof(double));
  }
  CHK(MPI_Irecv(b + 2*NYP*KM, NYP*KM, MPI_DOUBLE, west, 13, COMM, rq+4));
  CHK(MPI_Irecv(b + 3*NYP*KM, NYP*KM, MPI_DOUBLE, east, 14, COMM, rq+5));
  CHK(MPI_Isend(b, NYP*KM, MPI_DOUBLE, west, 14, COMM, rq+6));
  CHK(MPI_Isend(b + NYP*KM, NYP*KM, MPI_DOUBLE, east, 13, COMM, rq+7));
  CHK(MPI_Waitall(8, rq, MPI_STATUSES_IGNORE));
  for (j = 0; j < NYP; j++) {
    if (west >= 0) memcpy(&TR(f,0,j,0), b + (2*NYP+j)*KM, KM*sizeof(double));
    if (east >= 0) memcpy(&TR(f,nxl+1,j,0), b + (3*NYP+j)*KM, KM*sizeof(double));
  }
  free(b);
}

/* section along a row of ranks: western neighbour's edge column of eta */
void relay_depth(double *col)
{
  int j;
  double *mine = (double *) malloc(nyl*sizeof(double));
  for (j = 1; j <= nyl; j++) mine[j-1] = eta[I2(nxl,j)];
  if (px > 0)
    RECV_FR(west, col, nyl, 21);
  if (px < npx-1)
    SEND_TO(east, mine, nyl, 21);
  free(mine);
}
