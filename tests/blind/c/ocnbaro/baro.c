#include "ocn.h"

/* work fields of the barotropic mode */
#define NXM 256
#define NYM 128
static double wk[6][NYM][NXM];

/* forward-backward steps of the external mode */
void barotropic(int nsub)
{
  int n, i, j;
  double em;
  for (n = 0; n < nsub; n++) {
    /* depth may change with wetting and drying (not yet) */
    EXCH2(dep);
    EXCH2(ubt);
    EXCH2(vbt);
    DO2(i,j) {
      double fe = 0.25*(ubt[I2(i,j)] + ubt[I2(i+1,j)])*(dep[I2(i,j)] + dep[I2(i+1,j)]);
      double fw = 0.25*(ubt[I2(i-1,j)] + ubt[I2(i,j)])*(dep[I2(i-1,j)] + dep[I2(i,j)]);
      double fn = 0.25*(vbt[I2(i,j)] + vbt[I2(i,j+1)])*(dep[I2(i,j)] + dep[I2(i,j+1)]);
      double fs = 0.25*(vbt[I2(i,j-1)] + vbt[I2(i,j)])*(dep[I2(i,j-1)] + dep[I2(i,j)]);
      wk[0][j & (NYM-1)][i & (NXM-1)] = fe - fw;
      wk[1][j & (NYM-1)][i & (NXM-1)] = fn - fs;
    }
    for (i = 1; i <= nxl; i++)
      for (j = 1; j <= nyl; j++)
        eta[I2(i,j)] -= msk[I2(i,j)]*dtbt/dxm*(wk[0][j & (NYM-1)][i & (NXM-1)] + wk[1][j & (NYM-1)][i & (NXM-1)]);
    EXCH2(eta);
    for (j = 1; j <= nyl; j++)
      for (i = 1; i <= nxl; i++) {
        double un = ubt[I2(i,j)] - dtbt*(grav*0.5*(eta[I2(i+1,j)] - eta[I2(i-1,j)])/dxm - cor[I2(i,j)]*vbt[I2(i,j)]);
        double vn = vbt[I2(i,j)] - dtbt*(grav*0.5*(eta[I2(i,j+1)] - eta[I2(i,j-1)])/dxm + cor[I2(i,j)]*un);
        ubt[I2(i,j)] = msk[I2(i,j)]*un*0.999;
        vbt[I2(i,j)] = msk[I2(i,j)]*vn*0.999;
      }
    em = 0;
    DO2(i,j) if (fabs(eta[I2(i,j)]) > em) em = fabs(eta[I2(i,j)]);
    /* blow-up check, all stop together */
    GMAX(em);
    if (em > 50.0) { ON_MASTER printf("eta = %g\n", em); ocn_abort(__FILE__, __LINE__); }
    BARRIER();
  }
  /* surface records for the coupler */
  for (j = 1; j <= nyl; j++)
    for (i = 1; i <= nxl; i++) {
      surf[I2(i,j)].eta = eta[I2(i,j)];
      surf[I2(i,j)].etamax = fmax(surf[I2(i,j)].etamax, eta[I2(i,j)]);
    }
}
