#include "md.h"

double te[GZ][GY][GX], tenew[GZ][GY][GX];
double src[GZ][GY][GX+2];

static double kappa(double t) { return t > 0 ? 0.05*t/(1.0 + 0.1*t) : 0.0; }

/* electron heat conduction, explicit, many substeps */
void ttm_step(int nsub)
{
  int n, i, j, k;
  double tmax = 0;
  for (n = 0; n < nsub; n++) {
#pragma omp parallel for private(i,j) schedule(static)
    for (k = 0; k < GZ; k++) {
      int kp = (k+1)%GZ, km = (k+GZ-1)%GZ;
      for (j = 0; j < GY; j++) {
        int jp = (j+1)%GY, jm = (j+GY-1)%GY;
        for (i = 0; i < GX; i++) {
          int ip = (i+1)%GX, im = (i+GX-1)%GX;
          double t = te[k][j][i], s = te[k][j][ip] + te[k][j][im] + te[k][jp][i] + te[k][jm][i] + te[kp][j][i] + te[km][j][i];
          tenew[k][j][i] = t + 0.5*kappa(t)*(s - 6*t);
        }
      }
    }
    /* walls in x are kept at the bath temperature */
#pragma omp parallel for private(j) schedule(static)
    for (k = 0; k < GZ; k++)
      for (j = 0; j < GY; j++) tenew[k][j][0] = tenew[k][j][GX-1] = 1.0;
#pragma omp parallel for private(i,k) schedule(static)
    for (j = 0; j < GY; j++)
      for (i = 0; i < GX; i++)
        for (k = 0; k < GZ; k++) te[k][j][i] = tenew[k][j][i];
  }
#pragma omp parallel private(i,j,k)
  {
#pragma omp for schedule(static)
    for (k = 0; k < GZ; k++)
      for (j = 0; j < GY; j++)
        for (i = 0; i < GX; i++) te[k][j][i] += src[k][j][i];
#pragma omp for schedule(static) reduction(max:tmax)
    for (k = 0; k < GZ; k++)
      for (j = 0; j < GY; j++)
        for (i = 0; i < GX; i++) {
          src[k][j][i] = 0.0;
          if (te[k][j][i] > tmax) tmax = te[k][j][i];
        }
#pragma omp barrier
  }
  if (tmax > 1e6) { fprintf(stderr, "electrons too hot\n"); exit(1); }
}

/* exchange of energy between atoms and electrons */
void ttm_coupling(void)
{
  int i;
#pragma omp parallel for schedule(static)
  for (i = 0; i < natom; i++) {
    int ix = (int)(at[i].r[0]/box*GX) & (GX-1), iy = (int)(at[i].r[1]/box*GY) & (GY-1), iz = (int)(at[i].r[2]/box*GZ) & (GZ-1);
    double de = 1e-4*(te[iz][iy][ix] - at[i].ekin);
    int k;
    for (k = 0; k < 3; k++) f[i][k] += de*at[i].v[k];
#pragma omp atomic
    src[iz][iy][ix] -= de*1e-3;
  }
}

double ttm_mean(void)
{
  int i, j, k;
  double s = 0;
#pragma omp parallel for private(i,j)
  for (k = 0; k < GZ; k++)
    for (j = 0; j < GY; j++)
      for (i = 0; i < GX; i++) s += te[k][j][i];
  return s/(GX*GY*GZ);
}
