#include "lbm.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  lattice_t L;
  topo_t T;
  params_t p;
  linklist_t links;
  swarm_t swarm;
  int given, step = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
  topo_init(&T, MPI_COMM_WORLD);
  if (!T.rank && params_read(argc > 1 ? argv[1] : "pipe.par", &p))
    fprintf(stderr, "no parameter file, using defaults\n");
  MPI_Bcast(&p, (int)sizeof p, MPI_BYTE, 0, T.comm);
  if (p.nx / T.size < 4) MPI_Abort(T.comm, 2);
  tables_init();
  lattice_create(&L, &p, &T);
  geometry_mark(&L, &p);
  links_build(&L, &links);
  tracers_seed(&swarm, &L, p.ntracer / T.size);
  real ***dye = scalar_alloc(L.nx, L.ny, L.nz), ***dye2 = scalar_alloc(L.nx, L.ny, L.nz);
  real *umean = malloc(L.nx * sizeof *umean), *head = malloc(L.nx * sizeof *head);
  real *prof = malloc(L.plane * sizeof *prof);
  MPI_Barrier(T.comm);
  double t0 = MPI_Wtime(), tk = 0;
  for (; step < p.steps; step++) {
    MPI_Barrier(T.comm);
    double ts = MPI_Wtime();
    advance_populations(&L, &T, &p);
    bounce_back(&L, &links);
    if (p.sponge_on) sponge(&L, L.gx / 10);
    moments(&L);
    tk += MPI_Wtime() - ts;
    halo_field(&L, &T, L.rho);
    halo_field(&L, &T, L.ux);
    halo_field(&L, &T, L.uy);
    halo_field(&L, &T, L.uz);
    smagorinsky(&L, p.smag);
    obstacle_force(&L, &links, &p);
    halo_field(&L, &T, L.rho);
    pressure_gradient(&L);
    pressure_head(&L, &T, head);
    scalar_step(dye, dye2, &L, &T, &p);
    tracers_move(&swarm, &L, &T);
    axial_mean(&L, prof);
    observe_step(&L, &T, step, umean);
    real loc[2] = { scalar_total(dye, &L), (real)tracers_beyond(&swarm, 0.5 * L.gx) }, glob[2], v = max_speed(&L), vg;
    MPI_Allreduce(loc, glob, 2, MPI_DOUBLE, MPI_SUM, T.comm);
    MPI_Allreduce(&v, &vg, 1, MPI_DOUBLE, MPI_MAX, T.comm);
    if (!T.rank && step % 50 == 0)
      printf("         dye %.6e  beyond %.0f  umax %.4e  head %.3e  core %.3e\n", glob[0], glob[1], vg, head[0],
             prof[L.plane / 2 + L.nz / 2]);
    if (!(vg < 0.4)) MPI_Abort(T.comm, 3);
    if (p.ckpt_every && (step + 1) % p.ckpt_every == 0) {
      checkpoint_write(&L, &T, step + 1);
      if (steering_poll(&T)) break;
    }
  }
  if (!T.rank)
    printf("%s: %.2f s total, %.2f s kernels, %d threads\n", p.title, MPI_Wtime() - t0, tk, omp_get_max_threads());
  for (int o = 0; o < p.nobst && !T.rank; o++)
    printf("obstacle %d drag %.4e %.4e %.4e\n", o, p.ob[o].drag[0], p.ob[o].drag[1], p.ob[o].drag[2]);
  MPI_Finalize();
  return 0;
}
