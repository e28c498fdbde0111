#include "md.h"

static ThrAcc acc[MAXTHR];

/* tabulated pair force by the list */
void force_list(void)
{
  int i;
  double rc2 = par.rcut*par.rcut, sc = NTAB/(rc2 - 0.5), e = 0, w = 0;
  memset(acc, 0, sizeof(acc));
#pragma omp parallel for schedule(static) reduction(+:e,w)
  for (i = 0; i < natom; i++) {
    ThrAcc *ac = &acc[omp_get_thread_num()];
    double fx = 0, fy = 0, fz = 0, ei = 0;
    int n;
    for (n = 0; n < nnb[i]; n++) {
      int j = nbr[n*natom + i], k;
      double dx = at[j].r[0] - at[i].r[0], dy = at[j].r[1] - at[i].r[1], dz = at[j].r[2] - at[i].r[2], r2, t, g;
      dx -= box*rint(dx/box); dy -= box*rint(dy/box); dz -= box*rint(dz/box);
      r2 = dx*dx + dy*dy + dz*dz;
      if (r2 >= rc2) continue;
      t = (r2 - 0.5)*sc;
      k = t < 0 ? 0 : (int) t;
      g = spl[k].b + (t < 0 ? 0 : t - k)*(spl[k+1].b - spl[k].b);
      ei += 0.5*spl[k].a;
      fx -= g*dx; fy -= g*dy; fz -= g*dz;
      w += 0.5*g*r2;
      ac->npair++;
    }
    f[i][0] = fx; f[i][1] = fy; f[i][2] = fz;
    at[i].epot = ei;
    e += ei;
  }
  epot = e; virial = w;
}

/* first version: half the pairs, cell by cell; while the start configuration relaxes */
void force_cells_old(void)
{
  int c, n3 = ncx*ncx*ncx;
  double e = 0;
  static const int dc[13][3] = {{1,0,0},{-1,1,0},{0,1,0},{1,1,0},{-1,-1,1},{0,-1,1},{1,-1,1},
                                {-1,0,1},{0,0,1},{1,0,1},{-1,1,1},{0,1,1},{1,1,1}};
#pragma omp parallel for schedule(dynamic,4)
  for (c = 0; c < n3; c++) {
    int s, i, j, ix = c%ncx, iy = (c/ncx)%ncx, iz = c/(ncx*ncx);
    for (s = -1; s < 13; s++) {
      int cc = s < 0 ? c : (((iz+dc[s][2]+ncx)%ncx)*ncx + (iy+dc[s][1]+ncx)%ncx)*ncx + (ix+dc[s][0]+ncx)%ncx;
      for (i = chead[c]; i >= 0; i = cnext[i])
        for (j = s < 0 ? cnext[i] : chead[cc]; j >= 0; j = cnext[j]) {
          double d[3], r2 = 0, g, pe;
          int k;
          for (k = 0; k < 3; k++) { d[k] = at[j].r[k] - at[i].r[k]; d[k] -= box*rint(d[k]/box); r2 += d[k]*d[k]; }
          if (r2 > par.rcut*par.rcut || r2 < 0.5) continue;
          g = 24*(2*pow(r2, -7.0) - pow(r2, -4.0));
          pe = 4*(pow(r2, -6.0) - pow(r2, -3.0));
#pragma omp critical
          {
            for (k = 0; k < 3; k++) { f[i][k] -= g*d[k]; f[j][k] += g*d[k]; }
            e += pe;
          }
        }
    }
  }
  epot = e;
}

/* weak charges, all pairs, private forces */
void force_coulomb(double *ec)
{
  int i, k, t;
  double e = 0, *esum = ec;
#pragma omp parallel private(i,k,t)
  {
    vec3 *my = fth[omp_get_thread_num()];
    double el = 0;
    memset(my, 0, natom*sizeof(vec3));
#pragma omp for schedule(static,16)
    for (i = 0; i < natom; i += 4) {
      int j;
      for (j = i + 4; j < natom; j += 4) {
        double d[3], r2 = 0.01, q;
        for (k = 0; k < 3; k++) { d[k] = at[j].r[k] - at[i].r[k]; d[k] -= box*rint(d[k]/box); r2 += d[k]*d[k]; }
        q = at[i].q*at[j].q/sqrt(r2);
        el += q;
        q /= r2;
        for (k = 0; k < 3; k++) { my[i][k] -= q*d[k]; my[j][k] += q*d[k]; }
      }
    }
#pragma omp critical
    e += el;
#pragma omp for schedule(static)
    for (i = 0; i < natom; i++)
      for (t = 0; t < omp_get_num_threads(); t++)
        for (k = 0; k < 3; k++) f[i][k] += fth[t][i][k];
  }
  *esum = e;
}
