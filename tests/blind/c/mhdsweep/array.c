#include "mhd.h"
/* multi-dimensional arrays with pointers, one contiguous block */

void *calloc_1d_array(size_t nc, size_t size)
{
  return calloc(nc, size);
}

void ***calloc_3d_array(size_t nt, size_t nr, size_t nc, size_t size)
{
  void ***a;
  size_t i, j;
  if ((a = (void ***) calloc(nt, sizeof(void **))) == NULL) return NULL;
  a[0] = (void **) calloc(nt*nr, sizeof(void *));
  for (i = 1; i < nt; i++) a[i] = (void **)((char *) a[0] + i*nr*sizeof(void *));
  a[0][0] = (void *) calloc(nt*nr*nc, size);
  for (j = 1; j < nr; j++) a[0][j] = (void *)((char *) a[0][j-1] + nc*size);
  for (i = 1; i < nt; i++) {
    a[i][0] = (void *)((char *) a[i-1][0] + nr*nc*size);
    for (j = 1; j < nr; j++) a[i][j] = (void *)((char *) a[i][j-1] + nc*size);
  }
  return a;
}

Real ****calloc_4d_real(int nv, int nt, int nr, int nc)
{
  int n;
  Real ****a = (Real ****) malloc(nv*sizeof(Real ***));
  for (n = 0; n < nv; n++) a[n] = (Real ***) calloc_3d_array(nt, nr, nc, sizeof(Real));
  return a;
}

/* blast wave in a stratified field */
void problem(Grid *pG)
{
  int i, j, k;
  Real x, y, z, r, pr;
  for (k = 0; k < pG->Nx3 + 2*NG; k++)
    for (j = 0; j < pG->Nx2 + 2*NG; j++)
      for (i = 0; i < pG->Nx1 + 2*NG; i++) {
        x = (i - NG + 0.5)*pG->dx1 - 0.5;
        y = (j - NG + 0.5)*pG->dx2 - 0.5;
        z = pG->x3min + (k - NG + 0.5)*pG->dx3 - 0.5;
        r = sqrt(x*x + y*y + z*z);
        pr = r < 0.15 ? 10.0 : 0.1;
        pG->U[RHO][k][j][i] = 1.0;
        pG->U[B1][k][j][i] = 0.5;
        pG->U[B2][k][j][i] = 0.1;
        pG->U[EN][k][j][i] = pr/(Gamma - 1.0) + 0.5*(SQR(0.5) + SQR(0.1));
      }
  /* Temp and Phi get their first values by the threads which use them */
#pragma omp parallel for private(i,j) schedule(static)
  for (k = 0; k < pG->Nx3 + 2*NG; k++)
    for (j = 0; j < pG->Nx2 + 2*NG; j++)
      for (i = 0; i < pG->Nx1 + 2*NG; i++) {
        pG->Temp[k][j][i] = 1.0;
        pG->Phi[k][j][i] = 0.01*(i + j + k);
        pG->J2[k][j][i] = 0.0;
      }
}
