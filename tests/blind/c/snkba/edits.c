#include "sn.h"

/* residual of the fast group kept in the cell records, each inner */
void cell_edit(void)
{
  int c;
  for (c = 0; c < ncell; c++) {
    cell[c].flux_old = cell[c].flux;
    cell[c].flux = PHI(0,c);
    cell[c].err = fabs(cell[c].flux - cell[c].flux_old);
  }
}

double balance(void)
{
  int g, c;
  double s = 0, a = 0, v[2];
#pragma omp parallel for private(c) reduction(+:s,a)
  for (g = 0; g < ng; g++)
    for (c = 0; c < ncell; c++) {
      s += qfix[(size_t) g*ncell + c];
      a += sigt[mat[c]][g]*PHI(g,c);
    }
  v[0] = s; v[1] = a;
  MPI_Allreduce(MPI_IN_PLACE, v, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return v[1]/(v[0] + 1e-30);
}

void write_flux(const char *fn)
{
  int p, g, c;
  double *b = (double *) malloc(ncell*sizeof(double));
  FILE *fp = me == 0 ? fopen(fn, "w") : NULL;
  for (g = 0; g < ng; g += 4) {
    for (c = 0; c < ncell; c++) b[c] = PHI(g,c);
    if (me == 0) {
      for (p = 0; p < np; p++) {
        if (p > 0)
          MPI_Recv(b, ncell, MPI_DOUBLE, p, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (c = 0; fp && c < ncell; c += 997) fprintf(fp, "%d %d %g\n", g, c, b[c]);
      }
    } else
      MPI_Send(b, ncell, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD);
  }
  if (fp) fclose(fp);
  free(b);
}
