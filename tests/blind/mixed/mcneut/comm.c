#include "mc.h"
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

#define W MPI_COMM_WORLD

/* half of the sites to the next rank */
void com_sites(H h) {
  struct sim *s = S(h);
  if (s->np < 2) return;
  int to = (s->me + 1) % s->np, from = (s->me + s->np - 1) % s->np;
  int n = (int)(s->nsite / 4), m;
  MPI_Sendrecv(&n, 1, MPI_INT, to, 1, &m, 1, MPI_INT, from, 1, W, MPI_STATUS_IGNORE);
  FOR(i, MAX(n, m)) {
    MPI_Request rq[2];
    int k = 0;
    if (i < m) MPI_Irecv(&s->in[i], sizeof(site_t), MPI_BYTE, from, 2, W, &rq[k++]);
    if (i < n) MPI_Isend(&s->site[i], sizeof(site_t), MPI_BYTE, to, 2, W, &rq[k++]);
    MPI_Waitall(k, rq, MPI_STATUSES_IGNORE);
  }
  FOR(i, MIN(n, m)) s->site[i] = s->in[i];
}

void com_sum(H h, double *v, int n) {
  (void)h;
  MPI_Allreduce(MPI_IN_PLACE, v, n, MPI_DOUBLE, MPI_SUM, W);
}

double com_sum1(H h, double v) {
  com_sum(h, &v, 1);
  return v;
}

/* flux of all ranks, group by group */
void com_flux(H h) {
  struct sim *s = S(h);
  FOR(g, NG)
    MPI_Allreduce(MPI_IN_PLACE, &TALLY(s->flux, 0, g), MX * MY * MZ, MPI_DOUBLE, MPI_SUM, W);
}

void com_seed(H h, uint64_t *x) {
  struct sim *s = S(h);
  if (s->me) MPI_Recv(x, 1, MPI_UINT64_T, s->me - 1, 4, W, MPI_STATUS_IGNORE);
  *x = *x * 2862933555777941757ull + 3037000493ull;
  if (s->me < s->np - 1) MPI_Send(x, 1, MPI_UINT64_T, s->me + 1, 4, W);
}

void com_spectra(H h, double *sp, double *all) {
  struct sim *s = S(h);
  if (s->me) {
    MPI_Send(sp, NG, MPI_DOUBLE, 0, 5, W);
    return;
  }
  FOR(g, NG) all[g] = sp[g];
  for (int r = 1; r < s->np; r++)
    MPI_Recv(all + r * NG, NG, MPI_DOUBLE, r, 5, W, MPI_STATUS_IGNORE);
}

/* z planes; with overlap the inner planes are damped meanwhile */
void com_halo(H h, double *f, int overlap) {
  struct sim *s = S(h);
  int up = s->me < s->np - 1 ? s->me + 1 : MPI_PROC_NULL, dn = s->me ? s->me - 1 : MPI_PROC_NULL;
  MPI_Request rq[4];
  MPI_Irecv(f + IDX(0, 0, 0), MX * MY, MPI_DOUBLE, dn, 6, W, &rq[0]);
  MPI_Irecv(f + IDX(0, 0, MZ - 1), MX * MY, MPI_DOUBLE, up, 7, W, &rq[1]);
  MPI_Isend(f + IDX(0, 0, MZ - 2), MX * MY, MPI_DOUBLE, up, 6, W, &rq[2]);
  MPI_Isend(f + IDX(0, 0, 1), MX * MY, MPI_DOUBLE, dn, 7, W, &rq[3]);
  if (overlap) {
#pragma omp parallel for
    for (long k = 2; k < MZ - 2; k++)
      FOR(i, MX * MY) f[IDX(i, 0, k)] *= 0.999;
  }
  MPI_Waitall(4, rq, MPI_STATUSES_IGNORE);
}

/* until rank 0 has written its restart */
void com_wait(H h, int gen) {
  struct sim *s = S(h);
  int g = gen, done = 0;
  MPI_Request rq;
  MPI_Ibcast(&g, 1, MPI_INT, 0, W, &rq);
  struct timespec ts = {0, 1000000};
  while (!done) {
    MPI_Test(&rq, &done, MPI_STATUS_IGNORE);
    if (!done) nanosleep(&ts, NULL);
  }
  (void)s;
}
