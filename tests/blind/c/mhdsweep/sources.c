#include "mhd.h"
/* resistive heating, cooling, a diffused potential */

void resistivity(Grid *pG)
{
  int i, j, k;
  Real j1, j2, j3;
  bvals_B(pG);
#pragma omp parallel for private(i,j) schedule(static)
  for (k = pG->ks; k <= pG->ke; k++)
    for (j = pG->js; j <= pG->je; j++)
      for (i = pG->is; i <= pG->ie; i++) {
        Real ****U = pG->U;
        j1 = (U[B3][k][j+1][i] - U[B3][k][j-1][i])/pG->dx2 - (U[B2][k+1][j][i] - U[B2][k-1][j][i])/pG->dx3;
        j2 = (U[B1][k+1][j][i] - U[B1][k-1][j][i])/pG->dx3 - (U[B3][k][j][i+1] - U[B3][k][j][i-1])/pG->dx1;
        j3 = (U[B2][k][j][i+1] - U[B2][k][j][i-1])/pG->dx1 - (U[B1][k][j+1][i] - U[B1][k][j-1][i])/pG->dx2;
        pG->J2[k][j][i] = 0.25*(j1*j1 + j2*j2 + j3*j3);
      }
#pragma omp parallel for private(i,j) schedule(static)
  for (j = pG->js; j <= pG->je; j++)
    for (i = pG->is; i <= pG->ie; i++)
      for (k = pG->ks; k <= pG->ke; k++)
        pG->U[EN][k][j][i] += pG->dt*eta_ohm*pG->J2[k][j][i];
}

/* optically thin cooling, substepped where it is fast */
void cooling(Grid *pG, Star *st, int nst)
{
  int i, j, k, s, nsub[64];
  Real ecool = 0.0;
  memset(nsub, 0, sizeof(nsub));
#pragma omp parallel for private(i,j,s) schedule(dynamic) reduction(+:ecool)
  for (k = pG->ks; k <= pG->ke; k++)
    for (j = pG->js; j <= pG->je; j++)
      for (i = pG->is; i <= pG->ie; i++) {
        Real u[NVAR], p, t, lam, dt, left = pG->dt, heat = 0;
        int n;
        for (n = 0; n < NVAR; n++) u[n] = pG->U[n][k][j][i];
        p = pressure(u);
        for (s = 0; s < nst; s++)
          if (st[s].active)
            heat += st[s].L/(1e-2 + SQR(i*pG->dx1 - st[s].x) + SQR(j*pG->dx2 - st[s].y));
        while (left > 0) {
          t = p/u[RHO];
          lam = 0.05*u[RHO]*u[RHO]*sqrt(MAX(t, 1e-6));
          dt = MIN(left, 0.1*p/(lam + TINY_NUMBER));
          p += (Gamma - 1.0)*dt*(heat*1e-3 - lam);
          if (p < 1e-6) p = 1e-6;
          left -= dt;
          nsub[omp_get_thread_num() & 63]++;
          if (t < 1e-5) break;
        }
        ecool += lam;
        pG->Temp[k][j][i] = t;
        pG->U[EN][k][j][i] += (p - pressure(u))/(Gamma - 1.0);
      }
  if (ecool < 0) fprintf(stderr, "cooling %g\n", ecool);
}

/* Jacobi diffusion of the potential */
void diffuse_phi(Grid *pG, int nit)
{
  int it, i, j, k, n1 = pG->Nx1 + 2*NG, n2 = pG->Nx2 + 2*NG, n3 = pG->Nx3 + 2*NG;
  Real ***a = pG->Phi, ***b = pG->Temp, ***t;
  Real dmax = 0;
#pragma omp parallel private(it,i,j,k)
  for (it = 0; it < nit; it++) {
#pragma omp for schedule(static)
    for (k = 1; k < n3 - 1; k++)
      for (j = 1; j < n2 - 1; j++)
        for (i = 1; i < n1 - 1; i++)
          b[k][j][i] = a[k][j][i] + 0.1*(a[k][j][i+1] + a[k][j][i-1] + a[k][j+1][i] + a[k][j-1][i]
                       + a[k+1][j][i] + a[k-1][j][i] - 6.0*a[k][j][i]);
#pragma omp barrier
#pragma omp single
    { t = a; a = b; b = t; }
  }
#pragma omp parallel for collapse(3) schedule(dynamic)
  for (k = pG->ks; k <= pG->ke; k++)
    for (j = pG->js; j <= pG->je; j++)
      for (i = pG->is; i <= pG->ie; i++) {
        Real d = fabs(a[k][j][i] - b[k][j][i]);
        if (d > dmax) {
#pragma omp critical
          if (d > dmax) dmax = d;
        }
      }
  if (a != pG->Phi) { pG->Temp = pG->Phi; pG->Phi = a; }
  (void) dmax;
}
