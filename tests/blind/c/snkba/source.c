#include "sn.h"
/* sources from scattering and fission */

/* group to group, called once per outer */
void outer_source(void)
{
  int g, c, h;
#pragma omp parallel for private(c,h) schedule(static)
  for (g = 0; g < ng; g++)
    for (c = 0; c < ncell; c++) {
      double s = qfix[(size_t) g*ncell + c];
      for (h = 0; h < ng; h++)
        if (h != g) s += sigs[mat[c]][h][g]*PHI(h,c);
      QSRC(g,c) = s;
    }
}

/* within-group scattering, every inner; adds to the outer source */
void inner_source(void)
{
  int g, c;
  static double *qout = NULL;
  if (qout == NULL) qout = (double *) malloc((size_t) ng*ncell*sizeof(double));
#pragma omp parallel private(c)
  {
#pragma omp for schedule(static)
    for (g = 0; g < ng; g++)
      memcpy(qout + (size_t) g*ncell, qfix + (size_t) g*ncell, ncell*sizeof(double));
#pragma omp for schedule(static)
    for (g = 0; g < ng; g++)
      for (c = 0; c < ncell; c++) {
        qout[(size_t) g*ncell + c] += sigs[mat[c]][g][g]*PHI(g,c);
        phiold[(size_t) g*ncell + c] = PHI(g,c);
      }
  }
  for (c = 0; c < ng*ncell; c++) qsrc[c] = 0.5*(qsrc[c] + qout[c]);
}

/* first moments for the edits, by cell */
void scatter_moments(void)
{
  int c, g, m;
  double w[MAXG];
  for (g = 0; g < ng; g++) w[g] = 1.0/(1.0 + g);
  for (c = 0; c < ncell; c++) {
    for (m = 0; m < 4; m++) cell[c].heat[m] = 0;
    for (g = 0; g < ng; g++) {
      cell[c].heat[g & 3] += w[g]*PHI(g,c);
      cell[c].removal += 1e-3*(sigt[cell[c].mat][g] - sigs[cell[c].mat][g][g])*PHI(g,c);
    }
  }
}

/* [g][cell] -> [cell][g], as the chemistry package wants it */
void regroup(double *cg)
{
  int g, c;
  for (g = 0; g < ng; g++)
    for (c = 0; c < ncell; c++)
      cg[(size_t) c*ng + g] = PHI(g,c);
}

double fission_sum(void)
{
  int p;
  double s = 0, t, r;
  int c;
#pragma omp parallel for reduction(+:s)
  for (c = 0; c < ncell; c++) s += (mat[c] == 1)*PHI(ng-1,c);
  /* k-effective needs the sum on every node */
  if (me == 0) {
    t = s;
    for (p = 1; p < np; p++) {
      MPI_Recv(&r, 1, MPI_DOUBLE, p, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      t += r;
    }
    for (p = 1; p < np; p++) MPI_Send(&t, 1, MPI_DOUBLE, p, 6, MPI_COMM_WORLD);
  } else {
    MPI_Send(&s, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD);
    MPI_Recv(&t, 1, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return t;
}
