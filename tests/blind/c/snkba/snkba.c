#include "sn.h"

Input inp;
int nx, ny, nz, ng, ich, ncell, me, np, npy, npz, ipy, ipz, ylo, yhi, zlo, zhi;
double dx, dy, dz, mu[NANG], eta[NANG], xi[NANG], wt[NANG];
double *phi, *phiold, *qsrc, *qfix, *ib, *jb, *kb;
int *mat;
double sigt[MAXMAT][MAXG], sigs[MAXMAT][MAXG][MAXG];
CellRec *cell;
ThrStat tstat[MXTHR];

int main(int argc, char **argv)
{
  int out, in, g, t;
  double err = 0, t0, fs = 0, bal = 0, *cg, *f;
  long nfix = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  input(argc, argv);
  setup_mesh();
  alloc_fluxes();
  cg = (double *) malloc((size_t) ng*ncell*sizeof(double));
  f = (double *) malloc(ncell*sizeof(double));
  MPI_Barrier(MPI_COMM_WORLD);
  t0 = MPI_Wtime();
  for (out = 0; out < inp.oitm; out++) {
    outer_source();
    for (in = 0; in < inp.iitm; in++) {
      sweep();
      scatter_moments();
      cell_edit();
      err = converged();
      if (inp.dsa)
        for (g = 0; g < ng; g++) dsa(g);
      inner_source();
      if (err < inp.epsi) break;
    }
    sweep_old(ng-1, f);
    regroup(cg);
    fs = fission_sum();
    bal = balance();
    if (me == 0) printf("outer %d err %.3e fission %.5f balance %.5f\n", out, err, fs, bal);
  }
  for (t = 0; t < MXTHR; t++) nfix += tstat[t].nfix;
  if (me == 0) printf("time %.3f s, fixups %ld, cg %g f %g\n", MPI_Wtime() - t0, nfix, cg[1], f[0]);
  write_flux("flux.out");
  MPI_Finalize();
  return 0;
}
