#include "mhd.h"

/* volume integrals, appended every step */
void history(Grid *pG)
{
  int i, j, k, n;
  Real s[NVAR + 1], g[NVAR + 1];
  FILE *fp;
  for (n = 0; n <= NVAR; n++) s[n] = 0;
  for (n = 0; n < NVAR; n++)
    for (k = pG->ks; k <= pG->ke; k++)
      for (j = pG->js; j <= pG->je; j++)
        for (i = pG->is; i <= pG->ie; i++) s[n] += pG->U[n][k][j][i];
  for (n = 0; n < NVAR; n++)
    MPI_Reduce(&s[n], &g[n], 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (pG->id == 0) {
    fp = fopen("mhd.hst", pG->time == 0 ? "w" : "a");
    if (fp) {
      fprintf(fp, "%g %g", pG->time, pG->dt);
      for (n = 0; n < NVAR; n++) fprintf(fp, " %.8g", g[n]);
      fprintf(fp, "\n");
      fclose(fp);
    }
  }
}

/* horizontal averages, all planes on rank 0 */
void vertical_profile(Grid *pG, Real *prof)
{
  int i, j, k, p;
  Real *m = (Real *) calloc_1d_array(pG->Nx3, sizeof(Real));
#pragma omp parallel for private(i,j) schedule(static)
  for (k = 0; k < pG->Nx3; k++) {
    Real s = 0;
    for (j = pG->js; j <= pG->je; j++)
      for (i = pG->is; i <= pG->ie; i++) s += pG->U[RHO][k + NG][j][i];
    m[k] = s/(pG->Nx1*pG->Nx2);
  }
  if (pG->id == 0) {
    memcpy(prof, m, pG->Nx3*sizeof(Real));
    for (p = 1; p < pG->np; p++)
      MPI_Recv(prof + p*pG->Nx3, pG->Nx3, MPI_DOUBLE, p, 400, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else
    MPI_Send(m, pG->Nx3, MPI_DOUBLE, 0, 400, MPI_COMM_WORLD);
  free(m);
}

void dump(Grid *pG, int nd)
{
  char fn[64];
  int i, j, k;
  FILE *fp;
  sprintf(fn, "mhd-id%d.%04d.bin", pG->id, nd);
  if ((fp = fopen(fn, "wb")) == NULL) return;
  /* file order is x3 fastest, as the plotting package of the group reads it */
  for (i = pG->is; i <= pG->ie; i += 4)
    for (j = pG->js; j <= pG->je; j += 4)
      for (k = pG->ks; k <= pG->ke; k++) {
        float v = pG->U[RHO][k][j][i];
        fwrite(&v, sizeof(float), 1, fp);
      }
  fclose(fp);
}
