/* control.c: main program */
#include "lattice.h"

int nx, ny, nz, nt, ntl, volume, sites_on_node, even_sites_on_node;
int this_node, number_of_nodes;
double mass, beta_g, rsqmin, eps;
int niter;
site *lattice;
char **gen_pt[8];
int *nbr[8];
su3_vector *tmpv[8];

int main(int argc, char **argv)
{
  int traj, ntraj;
  double ss, st, res[4], t0;
  complex pl;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &this_node);
  MPI_Comm_size(MPI_COMM_WORLD, &number_of_nodes);
  setup(argc, argv);
  ntraj = argc > 3 ? atoi(argv[3]) : 2;
  g_sync();
  t0 = MPI_Wtime();
  for (traj = 0; traj < ntraj; traj++) {
    update(4);
    plaquette(&ss, &st);
    pl = ploop();
    pbp(res);
    if (this_node == 0)
      printf("traj %d plaq %.6f %.6f ploop %.4f %.4f pbp %.5f %.5f iters %g\n",
             traj, ss, st, pl.real, pl.imag, res[0]*mass, res[2], res[3]);
    fflush(stdout);
  }
  save_lattice("lat.out");
  if (this_node == 0) printf("time %.3f s, sizeof(site) %d\n", MPI_Wtime() - t0, (int) sizeof(site));
  MPI_Finalize();
  return 0;
}
