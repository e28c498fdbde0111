#include "allvars.h"
#include "proto.h"
/*! \file pm.c: smoothed mesh density, for the long-range term */

double PMdens[PMGRID][PMGRID][PMGRID];
static double pmpot[PMGRID][PMGRID][PMGRID2];

#define CLAMP(i) ((i) < 0 ? 0 : ((i) >= PMGRID ? PMGRID-1 : (i)))

static void assign(void)
{
  int i, c[3], k;
  memset(PMdens, 0, sizeof(PMdens));
  for(i = 0; i < NumPart; i++)
    {
      for(k = 0; k < 3; k++)
	c[k] = CLAMP((int) (P[i].Pos[k] / All.BoxSize * PMGRID));
      PMdens[c[0]][c[1]][c[2]] += P[i].Mass;
    }
  MPI_Allreduce(MPI_IN_PLACE, PMdens, PMGRID * PMGRID * PMGRID, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void smooth(void)
{
  int i, j, k;
#pragma omp parallel for private(j,k)
  for(i = 0; i < PMGRID; i++)
    for(j = 0; j < PMGRID; j++)
      for(k = 0; k < PMGRID; k++)
	pmpot[i][j][k] = 0.25 * (PMdens[i][j][CLAMP(k - 1)] + 2 * PMdens[i][j][k] + PMdens[i][j][CLAMP(k + 1)]);
#pragma omp parallel for private(j,k)
  for(i = 0; i < PMGRID; i++)
    for(k = 0; k < PMGRID; k++)
      for(j = 0; j < PMGRID; j++)
	PMdens[i][j][k] = 0.25 * (pmpot[i][CLAMP(j - 1)][k] + 2 * pmpot[i][j][k] + pmpot[i][CLAMP(j + 1)][k]);
#pragma omp parallel for private(i,j)
  for(k = 0; k < PMGRID; k++)
    for(j = 0; j < PMGRID; j++)
      for(i = 0; i < PMGRID; i++)
	pmpot[i][j][k] = 0.25 * (PMdens[CLAMP(i - 1)][j][k] + 2 * PMdens[i][j][k] + PMdens[CLAMP(i + 1)][j][k]);
}

void pm_longrange(void)
{
  int i, j, k;
  double s = 0;
  assign();
  smooth();
  for(i = 1; i < PMGRID - 1; i++)
    for(j = 1; j < PMGRID - 1; j++)
      for(k = 1; k < PMGRID - 1; k++)
	s += (pmpot[i + 1][j][k] - pmpot[i - 1][j][k]) * (pmpot[i + 1][j][k] - pmpot[i - 1][j][k]);
  All.MeshPower = s;
}
