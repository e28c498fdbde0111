#include "md.h"

static int cell_of(const double *r)
{
  int c[3], k;
  for (k = 0; k < 3; k++) {
    c[k] = (int)(r[k]/cellw);
    if (c[k] < 0) c[k] = 0;
    if (c[k] >= ncx) c[k] = ncx-1;
  }
  return (c[2]*ncx + c[1])*ncx + c[0];
}

void bin_atoms(void)
{
  int i, c, n3 = ncx*ncx*ncx;
  memset(ccount, 0, n3*sizeof(int));
  for (c = 0; c < n3; c++) chead[c] = -1;
#pragma omp parallel for schedule(static)
  for (i = 0; i < natom; i++) {
    at[i].cell = cell_of(at[i].r);
    ccount[at[i].cell]++;
  }
  for (i = natom-1; i >= 0; i--) { cnext[i] = chead[at[i].cell]; chead[at[i].cell] = i; }
}

/* full list, column-wise as on the vector machine */
void build_list(void)
{
  int i, cx, cy, cz;
  double rc2 = (par.rcut + par.skin)*(par.rcut + par.skin);
  bin_atoms();
  for (i = 0; i < natom; i++) {
    int c = at[i].cell, n = 0;
    int ix = c%ncx, iy = (c/ncx)%ncx, iz = c/(ncx*ncx);
    for (cz = iz-1; cz <= iz+1; cz++) for (cy = iy-1; cy <= iy+1; cy++) for (cx = ix-1; cx <= ix+1; cx++) {
      int j, k, cc = (((cz+ncx)%ncx)*ncx + (cy+ncx)%ncx)*ncx + (cx+ncx)%ncx;
      for (j = chead[cc]; j >= 0; j = cnext[j]) {
        double d, r2 = 0;
        if (j == i) continue;
        for (k = 0; k < 3; k++) {
          d = at[j].r[k] - at[i].r[k];
          d -= box*rint(d/box);
          r2 += d*d;
        }
        if (r2 < rc2 && n < MAXNB) nbr[(n++)*natom + i] = j;
      }
    }
    nnb[i] = n;
    for (cx = 0; cx < 3; cx++) at[i].r0[cx] = at[i].r[cx];
  }
}

int list_too_old(void)
{
  int i;
  double mx = 0;
#pragma omp parallel for reduction(max:mx)
  for (i = 0; i < natom; i++) {
    double s = 0, d;
    int k;
    for (k = 0; k < 3; k++) {
      d = at[i].r[k] - at[i].r0[k];
      d -= box*rint(d/box);
      s += d*d;
    }
    if (s > mx) mx = s;
  }
  return mx > 0.25*par.skin*par.skin;
}
