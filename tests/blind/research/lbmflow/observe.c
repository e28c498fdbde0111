#include "lbm.h"
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define U3(u, k, j, i) ((u)[((size_t)(i) * ny + (j)) * nz + (k)])

static real kinetic(const lattice_t *L) {
  const real *r = L->rho, *a = L->ux, *b = L->uy, *c = L->uz;
  real e = 0;
#pragma omp parallel for reduction(+:e) schedule(static)
  for (size_t s = L->plane; s < L->vol - L->plane; s++)
    e += r[s] * (a[s] * a[s] + b[s] * b[s] + c[s] * c[s]);
  return 0.5 * e;
}

typedef struct { real m, px; char pad[48]; } slot_t;

void observe_step(const lattice_t *L, const topo_t *T, int step, real umean[]) {
  const int ny = L->ny, nz = L->nz;
  static slot_t slot[MAXTHR];
  real mass = 0, mom = 0, ekin = kinetic(L), gmass, gmom, gekin;
  memset(slot, 0, sizeof slot);
#pragma omp parallel for schedule(static)
  for (int i = GH; i < L->nx - GH; i++) {
    slot_t *me = &slot[omp_get_thread_num()];
    real m = 0, px = 0;
    for (int j = 0; j < ny; j++) {
#pragma omp simd reduction(+:m, px)
      for (int k = 0; k < nz; k++) {
        m += U3(L->rho, k, j, i);
        px += U3(L->rho, k, j, i) * U3(L->ux, k, j, i);
      }
    }
    me->m += m;
    me->px += px;
    umean[i - GH] = px / (ny * nz);
  }
  for (int t = 0; t < omp_get_max_threads(); t++) mass += slot[t].m, mom += slot[t].px;
  MPI_Allreduce(&mass, &gmass, 1, MPI_DOUBLE, MPI_SUM, T->comm);
  MPI_Allreduce(&mom, &gmom, 1, MPI_DOUBLE, MPI_SUM, T->comm);
  MPI_Allreduce(&ekin, &gekin, 1, MPI_DOUBLE, MPI_SUM, T->comm);
  /* plane-mean profile along the whole pipe for the log */
  const int n = L->nx - 2 * GH;
  if (T->rank) {
    MPI_Send(umean, n, MPI_DOUBLE, 0, 40, T->comm);
  } else {
    real *all = malloc(L->gx * sizeof *all), hi = 0;
    int at = n, got;
    memcpy(all, umean, n * sizeof *all);
    for (int r = 1; r < T->size; r++) {
      MPI_Status st;
      MPI_Recv(all + at, L->gx - at, MPI_DOUBLE, r, 40, T->comm, &st);
      MPI_Get_count(&st, MPI_DOUBLE, &got);
      at += got;
    }
    for (int i = 0; i < at; i++) hi = fmax(hi, fabs(all[i]));
    if (step % 50 == 0)
      printf("%7d  mass %.8e  px %.6e  ekin %.6e  umax-plane %.4e\n", step, gmass, gmom, gekin, hi);
    free(all);
  }
}

real max_speed(const lattice_t *L) {
  real vmax = 0;
#pragma omp parallel for schedule(static)
  for (size_t s = L->plane; s < L->vol - L->plane; s++) {
    real v2 = L->ux[s] * L->ux[s] + L->uy[s] * L->uy[s] + L->uz[s] * L->uz[s];
#pragma omp critical (umax)
    if (v2 > vmax) vmax = v2;
  }
  return sqrt(vmax);
}
/* mean over the pipe length of the axial velocity, one value per (y,z) */
void axial_mean(const lattice_t *L, real *prof) {
  const int n = L->nx - 2 * GH;
#pragma omp parallel for
  for (size_t s = 0; s < L->plane; s++) {
    const real *p = L->ux + GH * L->plane + s, *e = p + n * L->plane;
    real sum = 0;
    for (; p < e; p += L->plane)
      sum += *p;
    prof[s] = sum / n;
  }
}
/* pressure drop along the centre line, accumulated from the inlet */
void pressure_head(const lattice_t *L, const topo_t *T, real *head) {
  const int n = L->nx - 2 * GH;
  real base = 0;
  for (int i = 0; i < n; i++) head[i] = L->gradp[0][SITE(L, i + GH, L->ny / 2, L->nz / 2)] + (i ? head[i - 1] : 0);
  if (T->rank > 0) MPI_Recv(&base, 1, MPI_DOUBLE, T->rank - 1, 50, T->comm, MPI_STATUS_IGNORE);
  for (int i = 0; i < n; i++) head[i] += base;
  if (T->rank < T->size - 1) MPI_Send(&head[n - 1], 1, MPI_DOUBLE, T->rank + 1, 50, T->comm);
}

void tracers_seed(swarm_t *S, const lattice_t *L, int n) {
  S->cap = 2 * n + 64, S->n = n;
  S->t = calloc(S->cap, sizeof *S->t);
  srand(17 + L->x0);
  for (int a = 0; a < n; a++) {
    tracer_t *t = S->t + a;
    t->x[0] = L->x0 + rand() / (RAND_MAX + 1.0) * (L->nx - 2 * GH);
    for (int d = 1; d < 3; d++) t->x[d] = (0.3 + 0.4 * rand() / RAND_MAX) * (d == 1 ? L->ny : L->nz);
    t->id = a, t->alive = 1;
  }
}

void tracers_move(swarm_t *S, const lattice_t *L, const topo_t *T) {
  const int n = L->nx - 2 * GH;
  tracer_t *out = malloc((S->n + 1) * sizeof *out);
  int nout = 0, nin = 0, keep = 0, done = 0;
  for (int a = 0; a < S->n; a++) {
    tracer_t *t = &S->t[a];
    size_t s = SITE(L, (int)t->x[0] - L->x0 + GH, (int)t->x[1], (int)t->x[2]);
    memcpy(t->vold, t->v, sizeof t->v);
    t->v[0] = L->ux[s], t->v[1] = L->uy[s], t->v[2] = L->uz[s];
    for (int d = 0; d < 3; d++) t->x[d] += 1.5 * t->v[d] - 0.5 * t->vold[d];
    t->maxshear = fmax(t->maxshear, L->nut[s]);
    t->exposure += sqrt(t->v[0] * t->v[0] + t->v[1] * t->v[1] + t->v[2] * t->v[2]);
    t->age += 1;
    if (t->x[0] < L->x0) t->x[0] = L->x0;
    if (t->x[0] >= L->x0 + n) {
      if (t->x[0] >= L->gx) t->x[0] -= L->gx;
      out[nout++] = *t;
    } else if (keep++ != a) S->t[keep - 1] = *t;
  }
  S->n = keep;
  MPI_Request rq[2];
  const int sz = (int)sizeof *out;
  MPI_Sendrecv(&nout, 1, MPI_INT, T->hi, 60, &nin, 1, MPI_INT, T->lo, 60, T->comm, MPI_STATUS_IGNORE);
  if (S->n + nin > S->cap) S->t = realloc(S->t, (S->cap = 2 * (S->n + nin)) * sizeof *S->t);
  MPI_Irecv(S->t + S->n, nin * sz, MPI_BYTE, T->lo, 61, T->comm, &rq[0]);
  MPI_Isend(out, nout * sz, MPI_BYTE, T->hi, 61, T->comm, &rq[1]);
  while (!done) {
    MPI_Testall(2, rq, &done, MPI_STATUSES_IGNORE);
    if (!done) usleep(200);
  }
  S->n += nin;
  free(out);
}
/* how many live tracers have passed the cut; written to the log every step */
int tracers_beyond(const swarm_t *S, double xc) {
  int n = 0;
  for (int a = 0; a < S->n; a++) n += S->t[a].alive && S->t[a].x[0] > xc;
  return n;
}
