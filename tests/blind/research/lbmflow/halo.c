#include "lbm.h"
#include <stdlib.h>

#define NX5 5
static const int UP[NX5] = { 1, 7, 9, 11, 13 };     /* leave through the high-x face */
static const int DN[NX5] = { 2, 8, 10, 12, 14 };

void topo_init(topo_t *T, MPI_Comm comm) {
  T->comm = comm;
  MPI_Comm_rank(comm, &T->rank);
  MPI_Comm_size(comm, &T->size);
  T->lo = (T->rank + T->size - 1) % T->size;
  T->hi = (T->rank + 1) % T->size;
  for (int b = 0; b < 2; b++) T->sbuf[b] = T->rbuf[b] = NULL;
}

typedef enum { PACK, UNPACK } dir_t;

/* five populations of plane i to or from a message buffer */
static void face(lattice_t *L, real *buf, const int *set, int i, dir_t way) {
  for (int n = 0; n < NX5; n++)
    for (int k = 0; k < L->nz; k++)
      for (int j = 0; j < L->ny; j++) {
        real *a = L->g + POP(L, set[n], i, j, k);
        if (way == PACK) *buf++ = *a;
        else *a = *buf++;
      }
}

void advance_populations(lattice_t *L, topo_t *T, const params_t *p) {
  const int cnt = NX5 * (int)L->plane, last = L->nx - GH - 1;
  MPI_Request rq[4];
  if (!T->sbuf[0])
    for (int b = 0; b < 2; b++) {
      T->sbuf[b] = malloc(cnt * sizeof(real));
      T->rbuf[b] = malloc(cnt * sizeof(real));
    }
  collide(L, p);
  face(L, T->sbuf[0], DN, GH, PACK);
  face(L, T->sbuf[1], UP, last, PACK);
  MPI_Irecv(T->rbuf[0], cnt, MPI_DOUBLE, T->lo, 11, T->comm, &rq[0]);
  MPI_Irecv(T->rbuf[1], cnt, MPI_DOUBLE, T->hi, 12, T->comm, &rq[1]);
  MPI_Isend(T->sbuf[0], cnt, MPI_DOUBLE, T->lo, 12, T->comm, &rq[2]);
  MPI_Isend(T->sbuf[1], cnt, MPI_DOUBLE, T->hi, 11, T->comm, &rq[3]);
  MPI_Waitall(4, rq, MPI_STATUSES_IGNORE);
  stream_planes(L, GH + 1, last);
  face(L, T->rbuf[0], UP, 0, UNPACK);
  face(L, T->rbuf[1], DN, L->nx - 1, UNPACK);
  stream_planes(L, GH, GH + 1);
  stream_planes(L, last, last + 1);
}

/* ghost planes of one scalar field */
void halo_field(const lattice_t *L, const topo_t *T, real *a) {
  const int n = (int)L->plane;
  const size_t top = (size_t)(L->nx - GH - 1) * L->plane;
  MPI_Sendrecv(a + L->plane, n, MPI_DOUBLE, T->lo, 21, a + top + L->plane, n, MPI_DOUBLE, T->hi, 21,
               T->comm, MPI_STATUS_IGNORE);
  MPI_Sendrecv(a + top, n, MPI_DOUBLE, T->hi, 22, a, n, MPI_DOUBLE, T->lo, 22,
               T->comm, MPI_STATUS_IGNORE);
}
