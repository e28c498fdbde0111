#include "mhd.h"

/* cyclic permutation of vector components for each direction */
static const int perm[4][NVAR] = {
  {0}, {RHO, M1, M2, M3, EN, B1, B2, B3},
  {RHO, M2, M3, M1, EN, B2, B3, B1},
  {RHO, M3, M1, M2, EN, B3, B1, B2}
};

static Real minmod(Real a, Real b)
{
  return a*b <= 0 ? 0 : (fabs(a) < fabs(b) ? a : b);
}

/* fluxes along a pencil u[i][n] */
static void pencil(Real (*u)[NVAR], int n, Real (*f)[NVAR])
{
  int i, v;
  for (i = 2; i < n - 1; i++) {
    Real l[NVAR], r[NVAR];
    for (v = 0; v < NVAR; v++) {
      l[v] = u[i-1][v] + 0.5*minmod(u[i-1][v] - u[i-2][v], u[i][v] - u[i-1][v]);
      r[v] = u[i][v] - 0.5*minmod(u[i][v] - u[i-1][v], u[i+1][v] - u[i][v]);
    }
    (*Riemann)(l, r, f[i]);
  }
}

static void sweep_x1(Grid *pG)
{
  int j, k;
  Real q = pG->dt/pG->dx1;
  for (k = pG->ks; k <= pG->ke; k++) {
#pragma omp parallel for schedule(static)
    for (j = pG->js; j <= pG->je; j++) {
      Real u[MAXN][NVAR], f[MAXN][NVAR];
      int i, n, N = pG->Nx1 + 2*NG;
      for (n = 0; n < NVAR; n++) {
        Real *row = pG->U[n][k][j];
        for (i = 0; i < N; i++) u[i][n] = row[i];
      }
      pencil(u, N, f);
      for (n = 0; n < NVAR; n++)
        for (i = pG->is; i <= pG->ie; i++) pG->U[n][k][j][i] -= q*(f[i+1][n] - f[i][n]);
    }
  }
}

static void sweep_x2(Grid *pG)
{
  int k;
  Real q = pG->dt/pG->dx2;
#pragma omp parallel for schedule(static)
  for (k = pG->ks; k <= pG->ke; k++) {
    static Real f[MAXN][NVAR];
    Real ub[NVAR][MAXN], u[MAXN][NVAR];
    int i, j, n, N = pG->Nx2 + 2*NG;
    for (i = pG->is; i <= pG->ie; i++) {
      for (n = 0; n < NVAR; n++)
        for (j = 0; j < N; j++)
          ub[n][j] = pG->U[perm[2][n]][k][j][i];
      for (j = 0; j < N; j++)
        for (n = 0; n < NVAR; n++) u[j][n] = ub[n][j];
      pencil(u, N, f);
      for (n = 0; n < NVAR; n++)
        for (j = pG->js; j <= pG->je; j++)
          pG->U[perm[2][n]][k][j][i] -= q*(f[j+1][n] - f[j][n]);
    }
  }
}

/* x3: all the fluxes of a plane first, unit stride in i */
static void sweep_x3(Grid *pG)
{
  int i, j, k, n;
  Real q = pG->dt/pG->dx3;
#pragma omp parallel private(i,j,k,n)
  {
#pragma omp for collapse(2) schedule(static)
    for (k = pG->ks; k <= pG->ke + 1; k++)
      for (j = pG->js; j <= pG->je; j++)
        for (i = pG->is; i <= pG->ie; i++) {
          Real l[NVAR], r[NVAR], f[NVAR];
          for (n = 0; n < NVAR; n++) {
            Real ***u = pG->U[perm[3][n]];
            l[n] = u[k-1][j][i] + 0.5*minmod(u[k-1][j][i] - u[k-2][j][i], u[k][j][i] - u[k-1][j][i]);
            r[n] = u[k][j][i] - 0.5*minmod(u[k][j][i] - u[k-1][j][i], u[k+1][j][i] - u[k][j][i]);
          }
          (*Riemann)(l, r, f);
          for (n = 0; n < NVAR; n++) pG->Flx[n][k][j][i] = f[n];
        }
    for (n = 0; n < NVAR; n++) {
#pragma omp for collapse(2) schedule(static) nowait
      for (k = pG->ks; k <= pG->ke; k++)
        for (j = pG->js; j <= pG->je; j++)
          for (i = pG->is; i <= pG->ie; i++)
            pG->U[perm[3][n]][k][j][i] -= q*(pG->Flx[n][k+1][j][i] - pG->Flx[n][k][j][i]);
    }
  }
}

void integrate(Grid *pG, int order)
{
  if (order == 0) {
    sweep_x1(pG); bvals(pG);
    sweep_x2(pG); bvals(pG);
    sweep_x3(pG);
  } else {
    sweep_x3(pG); bvals(pG);
    sweep_x2(pG); bvals(pG);
    sweep_x1(pG);
  }
}

void new_dt(Grid *pG)
{
  int i, j, k, n;
  Real amax = 0.0, u[NVAR], a;
  for (i = pG->is; i <= pG->ie; i++)
    for (j = pG->js; j <= pG->je; j++)
      for (k = pG->ks; k <= pG->ke; k++) {
        for (n = 0; n < NVAR; n++) u[n] = pG->U[n][k][j][i];
        a = sqrt(Gamma*pressure(u)/u[RHO] + (SQR(u[B1]) + SQR(u[B2]) + SQR(u[B3]))/u[RHO]);
        amax = MAX(amax, (fabs(u[M1]/u[RHO]) + a)/pG->dx1);
        amax = MAX(amax, (fabs(u[M2]/u[RHO]) + a)/pG->dx2);
        amax = MAX(amax, (fabs(u[M3]/u[RHO]) + a)/pG->dx3);
      }
  MPI_Allreduce(MPI_IN_PLACE, &amax, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  pG->dt = CourNo/amax;
}
