#include "ocn.h"

void density(void)
{
  int i, j, k;
  for (k = 0; k < KM; k++)
    for (j = 0; j < NYP; j++)
      for (i = 0; i < NXP; i++)
        rho[I3(k,i,j)] = eos(TR(temp,i,j,k), TR(salt,i,j,k), prs[I3(k,i,j)]*1e-4);
}

/* pressure by integration downwards */
void hydrostatic(void)
{
  int i, j, k;
  for (j = 0; j < NYP; j++)
    for (i = 0; i < NXP; i++) {
      double p = grav*1025.0*eta[I2(i,j)];
      for (k = 0; k < KM; k++) {
        p += grav*(rho[I3(k,i,j)] - 1025.0)*50.0;
        prs[I3(k,i,j)] = p;
      }
    }
}

static void pgrad(double *du, double *dv)
{
  int i, j, k;
  for (k = 0; k < KM; k++)
    for (j = 1; j <= nyl; j++)
      for (i = 1; i <= nxl; i++) {
        du[I3(k,i,j)] = -(prs[I3(k,i+1,j)] - prs[I3(k,i-1,j)])/(2*1025.0*dxm) + cor[I2(i,j)]*v[I3(k,i,j)];
        dv[I3(k,i,j)] = -(prs[I3(k,i,j+1)] - prs[I3(k,i,j-1)])/(2*1025.0*dxm) - cor[I2(i,j)]*u[I3(k,i,j)];
      }
}

void momentum(void)
{
  int i, j, k, n3 = NXP*NYP*KM;
  static double *du = NULL, *dv;
  double um, vm;
  if (!du) { du = (double *) calloc(n3, sizeof(double)); dv = (double *) calloc(n3, sizeof(double)); }
  EXCH3(u);
  EXCH3(v);
  pgrad(du, dv);
  /* wind on top */
  DO2(i,j) {
    du[I3(0,i,j)] += surf[I2(i,j)].taux/(1025.0*50.0);
    dv[I3(0,i,j)] += surf[I2(i,j)].tauy/(1025.0*50.0);
  }
  for (k = 0; k < KM; k++)
    for (i = 1; i <= nxl; i++)
      for (j = 1; j <= nyl; j++) {
        double lap = u[I3(k,i+1,j)] + u[I3(k,i-1,j)] + u[I3(k,i,j+1)] + u[I3(k,i,j-1)] - 4*u[I3(k,i,j)];
        double lav = v[I3(k,i+1,j)] + v[I3(k,i-1,j)] + v[I3(k,i,j+1)] + v[I3(k,i,j-1)] - 4*v[I3(k,i,j)];
        du[I3(k,i,j)] += 1e-5*lap;
        dv[I3(k,i,j)] += 1e-5*lav;
      }
  for (i = 0; i < n3; i++) { u[i] += dtbc*du[i]; v[i] += dtbc*dv[i]; }
  /* take out the depth mean, the barotropic mode has it */
  DO2(i,j) {
    um = vm = 0;
    for (k = 0; k < KM; k++) { um += u[I3(k,i,j)]; vm += v[I3(k,i,j)]; }
    um = um/KM - ubt[I2(i,j)]; vm = vm/KM - vbt[I2(i,j)];
    for (k = 0; k < KM; k++) { u[I3(k,i,j)] -= um; v[I3(k,i,j)] -= vm; }
  }
}

void move_drifters(void)
{
  int n;
  for (n = 0; n < ndrift; n++) {
    Drifter *d = dft + n;
    if (!d->on) continue;
    d->i = (short) d->x; d->j = (short) d->y;
    d->x += dtbc/dxm*u[I3(d->lev, d->i, d->j)];
    d->y += dtbc/dxm*v[I3(d->lev, d->i, d->j)];
    if (d->x < 1) d->x = 1;
    if (d->x > nxl) d->x = nxl;
    if (d->y < 1) d->y = 1;
    if (d->y > nyl) d->y = nyl;
    d->age += dtbc;
  }
}
