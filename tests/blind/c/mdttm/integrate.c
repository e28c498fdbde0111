#include "md.h"

void kick(double h)
{
  int i;
#pragma omp parallel for schedule(static,1)
  for (i = 0; i < natom; i++) {
    int k;
    if (at[i].frozen) continue;
    for (k = 0; k < 3; k++) at[i].v[k] += h*f[i][k]/at[i].m;
  }
}

void drift(double h)
{
  int i;
#pragma omp parallel for schedule(static)
  for (i = 0; i < natom; i++) {
    int k;
    for (k = 0; k < 3; k++) {
      at[i].r[k] += h*at[i].v[k];
      if (at[i].r[k] < 0) at[i].r[k] += box;
      if (at[i].r[k] >= box) at[i].r[k] -= box;
    }
  }
}

double kinetic(void)
{
  int i;
  double e[MAXTHR], s = 0;
  memset(e, 0, sizeof(e));
#pragma omp parallel for schedule(static)
  for (i = 0; i < natom; i++) {
    double *v = at[i].v;
    at[i].ekin = 0.5*at[i].m*(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]);
    e[omp_get_thread_num()] += at[i].ekin;
  }
  for (i = 0; i < MAXTHR; i++) s += e[i];
  return s;
}

/* Berendsen */
void thermostat(double t)
{
  int i, k;
  double l, tk = 2.0*kinetic()/(3.0*natom);
  l = sqrt(1.0 + 0.01*(t/(tk + 1e-10) - 1.0));
  for (i = 0; i < natom; i++)
    for (k = 0; k < 3; k++) at[i].v[k] *= l;
}

/* weak harmonic restraint in molecules of two, iterated */
void shake(int nit)
{
  int it, m, bad = 1;
  for (it = 0; it < nit && bad; it++) {
    bad = 0;
#pragma omp parallel for reduction(+:bad)
    for (m = 0; m < natom/2; m++) {
      double d[3], r2 = 0, g;
      int k, a = 2*m, b = a + 1;
      for (k = 0; k < 3; k++) { d[k] = at[b].r[k] - at[a].r[k]; d[k] -= box*rint(d[k]/box); r2 += d[k]*d[k]; }
      if (r2 > 9.0) continue;
      g = 1e-4*(sqrt(r2) - 1.12);
      for (k = 0; k < 3; k++) { at[a].v[k] += g*d[k]; at[b].v[k] -= g*d[k]; }
      bad += fabs(g) > 1e-4;
    }
  }
}
