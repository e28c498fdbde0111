#include "mc.h"
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int ready(const char *f) {
  if (!f) return 1;
  for (int t = 0; t < 5; t++) {
    if (!access(f, R_OK)) return 1;
    usleep(100000);
  }
  return 0;
}

int main(int c, char **v) {
  int me, np, pr;
  MPI_Init_thread(&c, &v, MPI_THREAD_FUNNELED, &pr);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &np);
  long n = c > 1 ? atol(v[1]) : 2000;
  int ngen = c > 2 ? atoi(v[2]) : 6;
  if (!ready(c > 3 ? v[3] : NULL)) MPI_Abort(MPI_COMM_WORLD, 1);
  opt_t o = {1, ngen, 0};
  MPI_Bcast(&n, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  MPI_Bcast(&o.n, 1, MPI_INT, 0, MPI_COMM_WORLD);
  H h = mc_new(n, me, np, omp_get_max_threads());
  xs_make(h);
  double sp[NG], *all = calloc((size_t)np * NG, sizeof(double));
  uint64_t seed = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  double t0 = MPI_Wtime();
  FOR(g, o.n) {
    com_seed(h, &seed);
    bank_start(h, (int)g);
    track_events(h, 3);
    track_all(h, (int)g);
    MPI_Barrier(MPI_COMM_WORLD);
    com_sites(h);
    xs_collapse(h);
    double xs = xs_sum(h), no = tal_norm(h), le = tal_leak(h), si = (double)S(h)->nsite;
    no = com_sum1(h, no);
    le = com_sum1(h, le);
    si = com_sum1(h, si);
    xs = com_sum1(h, xs);
    S(h)->keff = si / ((double)np * n);
    tal_spectrum(h, sp);
    com_spectra(h, sp, all);
    FOR(i, (long)MX * MY * MZ) S(h)->smooth[i] = S(h)->flux[i];
    com_halo(h, S(h)->smooth, 0);
    tal_smooth(h, 4);
    com_halo(h, S(h)->smooth, 1);
    tal_matrix(h);
    double re = tal_response(h);
    com_wait(h, (int)g);
    double x[2] = {re, (double)bank_alive(h)};
    com_sum(h, x, 2);
    if (!me) printf("%2ld k=%.4f flux=%.5e leak=%.5e resp=%.3e %.3f\n", g, S(h)->keff, no, le, x[0], xs);
  }
  com_flux(h);
  if (!me) printf("time %.3f seed %lu\n", MPI_Wtime() - t0, (unsigned long)(seed & 0xffff));
  free(all);
  mc_free(h);
  MPI_Finalize();
  return 0;
}
