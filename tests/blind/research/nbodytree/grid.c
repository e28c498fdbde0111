#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "allvars.h"

#define NB 8

void grid_alloc(void)
{
  const size_t n = (SlabCount + 2) * PLANE * sizeof(double);
  free(Rho), free(Phi), free(Work);
  Rho = malloc(n), Phi = calloc(n, 1), Work = calloc(n, 1);
}

static double Tp[NG][NG];

/* three-point filter along z, in place */
static void filter_rows(double *a, int rows)
{
  int r, z;
  for (r = 0; r < rows; r++, a += NG) {
    double left = a[0];
    for (z = 1; z < NG - 1; z++) {
      const double mid = a[z];
      a[z] = 0.5 * mid + 0.25 * (left + a[z + 1]);
      left = mid;
    }
  }
}

void grid_density(void)
{
  const double rho0 = (double)All.NTotal / ((double)NG * NG * NG);
  int i, x, y, z;
  memset(Rho, 0, (SlabCount + 2) * PLANE * sizeof *Rho);
  for (i = 0; i < NumPart; i++) {
    y = (int)(P[i].Pos[1] * NG) & (NG - 1);
    z = (int)(P[i].Pos[2] * NG) & (NG - 1);
    Rho[CELL(P[i].Plane - SlabStart + 1, y, z)] += P[i].Mass / rho0;
  }
  for (x = 1; x <= SlabCount; x++) {
    double *pl = Rho + x * PLANE;
    filter_rows(pl, NG);
    for (y = 0; y < NG; y++)
      for (z = 0; z < NG; z++) Tp[z][y] = pl[y * NG + z];
    filter_rows(&Tp[0][0], NG);
    for (z = 0; z < NG; z += NB)
      for (y = 0; y < NG; y += NB)
        for (i = 0; i < NB; i++)
          for (int j = 0; j < NB; j++) pl[(y + j) * NG + z + i] = Tp[z + i][y + j];
  }
}

/* tridiagonal relaxation of whole lines along x, NB lines at once */
static void line_sweep(void)
{
  const int n = SlabCount;
  static double c[NG + 2], d[NG + 2][NB];
  const double h2 = 1.0 / ((double)NG * NG);
  int x, y, z, b;
  for (c[0] = 0, x = 1; x <= n; x++) c[x] = 1 / (6 - c[x - 1]);
  for (y = 1; y < NG - 1; y++)
    for (z = NB; z < NG - NB; z += NB) {
      memcpy(d[0], &Phi[CELL(0, y, z)], sizeof d[0]);
      for (x = 1; x <= n; x++)
        for (b = 0; b < NB; b++) {
          const double *p = &Phi[CELL(x, y, z + b)];
          d[x][b] = (p[NG] + p[-NG] + p[1] + p[-1] - h2 * Rho[CELL(x, y, z + b)] + d[x - 1][b]) * c[x];
        }
      for (b = 0; b < NB; b++) d[n + 1][b] = Phi[CELL(n + 1, y, z + b)];
      for (x = n; x >= 1; x--)
        for (b = 0; b < NB; b++) {
          d[x][b] += c[x] * d[x + 1][b];
          Phi[CELL(x, y, z + b)] = d[x][b];
        }
    }
}

static void jacobi(const double *in, double *out)
{
  const double h2 = 1.0 / ((double)NG * NG);
  int x, y, z;
  for (x = 1; x <= SlabCount; x++)
    for (y = 1; y < NG - 1; y++)
      for (z = 1; z < NG - 1; z++)
        out[CELL(x, y, z)] = (in[CELL(x - 1, y, z)] + in[CELL(x + 1, y, z)] + in[CELL(x, y - 1, z)] + in[CELL(x, y + 1, z)] +
                              in[CELL(x, y, z - 1)] + in[CELL(x, y, z + 1)] - h2 * Rho[CELL(x, y, z)]) / 6;
}

void grid_solve(int nsweep)
{
  int s;
  double *t;
  line_sweep();
  for (s = 0; s < nsweep; s++) {
    exchange_planes(Phi);
    MPI_Barrier(MPI_COMM_WORLD);
    jacobi(Phi, Work);
    t = Phi, Phi = Work, Work = t;
  }
  exchange_planes(Phi);
}

/* mean square of the Poisson defect, watched every step */
double grid_residual(void)
{
  const double h2 = 1.0 / ((double)NG * NG);
  double sum = 0, all[2], loc[2];
  int x, y, z;
  long n = 0;
  for (z = 1; z < NG - 1; z++)
    for (y = 1; y < NG - 1; y++)
      for (x = 1; x <= SlabCount; x++) {
        const size_t c = CELL(x, y, z);
        double d;
        if (Rho[c] == 0) continue;
        d = Phi[c - PLANE] + Phi[c + PLANE] + Phi[c - NG] + Phi[c + NG] + Phi[c - 1] + Phi[c + 1] - 6 * Phi[c] - h2 * Rho[c];
        sum += d * d;
        n++;
      }
  loc[0] = sum, loc[1] = n;
  MPI_Allreduce(loc, all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all[1] > 0 ? all[0] / all[1] : 0;
}

/* long range acceleration at the particles; y gradient prepared in Work */
void grid_force(void)
{
  const double s = 4 * M_PI * All.G / 2 * NG;
  int i, x, y, z;
  exchange_planes(Phi);
  for (x = 1; x <= SlabCount; x++)
    for (z = 0; z < NG; z++)
      for (y = 1; y < NG - 1; y++)
        Work[CELL(x, y, z)] = Phi[CELL(x, y + 1, z)] - Phi[CELL(x, y - 1, z)];
  for (x = 0; x < SlabCount + 2; x++)
    for (y = 0; y < NG; y++) Work[CELL(x, y, 0)] = Work[CELL(x, y, NG - 1)] = 0;
  for (i = 0; i < NumPart; i++) {
    size_t c;
    x = P[i].Plane - SlabStart + 1;
    y = (int)(P[i].Pos[1] * NG) & (NG - 1);
    z = (int)(P[i].Pos[2] * NG) & (NG - 1);
    if (y < 1 || z < 1 || y > NG - 2 || z > NG - 2) continue;
    c = CELL(x, y, z);
    P[i].GridAcc[0] = -s * (Phi[c + PLANE] - Phi[c - PLANE]);
    P[i].GridAcc[1] = -s * Work[c];
    P[i].GridAcc[2] = -s * (Phi[c + 1] - Phi[c - 1]);
    P[i].OldPhi = Phi[c];
  }
}
