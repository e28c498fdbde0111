#include "sn.h"
/* input, mesh, cross sections, work arrays */

void input(int argc, char **argv)
{
  int d[2] = {0, 0}, per[2] = {0, 0}, c[2], m, g, h, p;
  MPI_Comm cart;
  memset(&inp, 0, sizeof(inp));
  if (me == 0) {
    inp.nx = argc > 1 ? atoi(argv[1]) : 20;
    inp.ng = argc > 2 ? atoi(argv[2]) : 8;
    inp.ny = inp.nz = inp.nx;
    inp.ichunk = 5; inp.iitm = 4; inp.oitm = 2; inp.epsi = 1e-5; inp.dsa = 1; inp.keff = 1.0;
    /* no broadcast on the old machine */
    for (p = 1; p < np; p++)
      MPI_Send(&inp, sizeof(inp), MPI_BYTE, p, 1, MPI_COMM_WORLD);
  } else
    MPI_Recv(&inp, sizeof(inp), MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Dims_create(np, 2, d);
  MPI_Cart_create(MPI_COMM_WORLD, 2, d, per, 0, &cart);
  MPI_Cart_coords(cart, me, 2, c);
  MPI_Cart_shift(cart, 0, 1, &ylo, &yhi);
  MPI_Cart_shift(cart, 1, 1, &zlo, &zhi);
  npy = d[0]; npz = d[1]; ipy = c[0]; ipz = c[1];
  nx = inp.nx; ny = inp.ny/npy; nz = inp.nz/npz; ng = inp.ng; ich = inp.ichunk;
  if (ng > MAXG || nx%ich || inp.ny%npy || inp.nz%npz) {
    if (!me) fprintf(stderr, "bad input\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  dx = 1.0/nx; dy = 1.0/inp.ny; dz = 1.0/inp.nz;
  for (m = 0; m < MAXMAT; m++)
    for (g = 0; g < ng; g++) {
      sigt[m][g] = 1.0 + 0.2*m + 0.05*g;
      for (h = 0; h < ng; h++)
        sigs[m][h][g] = h <= g ? 0.5*sigt[m][h]/(ng - h) : (h == g+1 ? 0.01 : 0.0);
    }
  for (m = 0; m < NANG; m++) {
    double th = (m + 0.5)/NANG*1.5707963;
    xi[m] = 0.15 + 0.7*((m*3)%NANG)/NANG;
    mu[m] = sqrt(1 - xi[m]*xi[m])*cos(th);
    eta[m] = sqrt(1 - xi[m]*xi[m])*sin(th);
    wt[m] = 0.125/NANG;
  }
}

void setup_mesh(void)
{
  int i, j, k;
  ncell = nx*ny*nz;
  mat = (int *) malloc(ncell*sizeof(int));
  for (k = 0; k < nz; k++)
    for (j = 0; j < ny; j++)
      for (i = 0; i < nx; i++)
        mat[CELL(i,j,k)] = ((i > nx/3) + (j + ipy*ny > inp.ny/2) + (k + ipz*nz > inp.nz/2))%MAXMAT;
}

void alloc_fluxes(void)
{
  int c, g;
  size_t n = (size_t) ng*ncell;
  phi    = (double *) malloc(n*sizeof(double));
  phiold = (double *) malloc(n*sizeof(double));
  qsrc   = (double *) malloc(n*sizeof(double));
  memset(phi, 0, n*sizeof(double));
  memset(phiold, 0, n*sizeof(double));
  memset(qsrc, 0, n*sizeof(double));
  qfix   = (double *) malloc(n*sizeof(double));
#pragma omp parallel for private(c) schedule(static,1)
  for (g = 0; g < ng; g++)
    for (c = 0; c < ncell; c++)
      qfix[(size_t) g*ncell + c] = g == 0 && mat[c] == 0 ? 1.0 : 0.0;
  ib = (double *) malloc((size_t) ng*nz*ny*NANG*sizeof(double));
  jb = (double *) malloc((size_t) ng*nz*ich*NANG*sizeof(double));
  kb = (double *) malloc((size_t) ng*ny*ich*NANG*sizeof(double));
  cell = (CellRec *) calloc(ncell, sizeof(CellRec));
  for (c = 0; c < ncell; c++) cell[c].mat = mat[c];
}
