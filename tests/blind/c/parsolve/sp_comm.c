/* sp_comm.c - thin layer over MPI */
#include "sp.h"

int sp_rank, sp_size;

void sp_Send(void *b, int n, MPI_Datatype t, int to, int tag)
{
  MPI_Send(b, n, t, to, tag, MPI_COMM_WORLD);
}

void sp_Recv(void *b, int n, MPI_Datatype t, int from, int tag)
{
  MPI_Recv(b, n, t, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void sp_Barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

double sp_Sum(double x)
{
  double g;
  MPI_Allreduce(&x, &g, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return g;
}

void sp_SumV(double *x, int n)
{
  MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

spCommHandle *sp_CommBegin(spMatrix *A, double *x)
{
  spCommPkg *p = A->pkg;
  spCommHandle *h = spTAlloc(spCommHandle, 1);
  int i;
  h->req = spTAlloc(MPI_Request, p->nsend + p->nrecv);
  h->nreq = 0;
  for (i = 0; i < p->nrecv; i++)
    MPI_Irecv(x + A->n + p->rstart[i], p->rstart[i+1] - p->rstart[i], MPI_DOUBLE, p->rproc[i], 10,
              MPI_COMM_WORLD, &h->req[h->nreq++]);
  for (i = 0; i < p->sstart[p->nsend]; i++) p->sbuf[i] = x[p->smap[i]];
  for (i = 0; i < p->nsend; i++)
    MPI_Isend(p->sbuf + p->sstart[i], p->sstart[i+1] - p->sstart[i], MPI_DOUBLE, p->sproc[i], 10,
              MPI_COMM_WORLD, &h->req[h->nreq++]);
  return h;
}

void sp_CommEnd(spCommHandle *h)
{
  MPI_Waitall(h->nreq, h->req, MPI_STATUSES_IGNORE);
  spFree(h->req);
  spFree(h);
}

/* for machines with little buffer space: lower neighbours first, blocking */
void sp_ExchangeOrdered(spMatrix *A, double *x)
{
  spCommPkg *p = A->pkg;
  int i, j;
  for (i = 0; i < p->sstart[p->nsend]; i++) p->sbuf[i] = x[p->smap[i]];
  for (i = 0; i < p->nrecv; i++)
    if (p->rproc[i] < sp_rank)
      sp_Recv(x + A->n + p->rstart[i], p->rstart[i+1] - p->rstart[i], MPI_DOUBLE, p->rproc[i], 11);
  for (j = 0; j < p->nsend; j++)
    if (p->sproc[j] > sp_rank)
      sp_Send(p->sbuf + p->sstart[j], p->sstart[j+1] - p->sstart[j], MPI_DOUBLE, p->sproc[j], 11);
  for (i = 0; i < p->nrecv; i++)
    if (p->rproc[i] > sp_rank)
      sp_Recv(x + A->n + p->rstart[i], p->rstart[i+1] - p->rstart[i], MPI_DOUBLE, p->rproc[i], 12);
  for (j = 0; j < p->nsend; j++)
    if (p->sproc[j] < sp_rank)
      sp_Send(p->sbuf + p->sstart[j], p->sstart[j+1] - p->sstart[j], MPI_DOUBLE, p->sproc[j], 12);
}

/* integers of the ghosts, for the set-up */
void sp_ExchangeInts(spMatrix *A, const int *v, int *ghost)
{
  spCommPkg *p = A->pkg;
  int i, j, nr = 0;
  MPI_Request *rq = spTAlloc(MPI_Request, A->nghost);
  for (i = 0; i < p->nrecv; i++)
    for (j = p->rstart[i]; j < p->rstart[i+1]; j++)
      MPI_Irecv(ghost + j, 1, MPI_INT, p->rproc[i], 13, MPI_COMM_WORLD, &rq[nr++]);
  for (i = 0; i < p->nsend; i++)
    for (j = p->sstart[i]; j < p->sstart[i+1]; j++)
      MPI_Send(v + p->smap[j], 1, MPI_INT, p->sproc[i], 13, MPI_COMM_WORLD);
  MPI_Waitall(nr, rq, MPI_STATUSES_IGNORE);
  spFree(rq);
}

/* communication package from the global numbers of the ghosts (sorted) */
void sp_MakePkg(spMatrix *A)
{
  int *need = spCAlloc(int, 2*sp_size), *give = need + sp_size, i, q = 0, p, *list, *sd, *rd;
  spCommPkg *k = spCAlloc(spCommPkg, 1);
  for (i = 0; i < A->nghost; i++) {
    while (A->gid[i] >= A->start[q+1]) q++;
    need[q]++;
  }
  MPI_Alltoall(need, 1, MPI_INT, give, 1, MPI_INT, MPI_COMM_WORLD);
  k->sproc = spTAlloc(int, sp_size); k->rproc = spTAlloc(int, sp_size);
  k->sstart = spCAlloc(int, sp_size+1); k->rstart = spCAlloc(int, sp_size+1);
  sd = spCAlloc(int, 2*sp_size); rd = sd + sp_size;
  for (p = 0; p < sp_size; p++) {
    if (p > 0) { sd[p] = sd[p-1] + give[p-1]; rd[p] = rd[p-1] + need[p-1]; }
    if (need[p]) { k->rproc[k->nrecv] = p; k->rstart[k->nrecv+1] = k->rstart[k->nrecv] + need[p]; k->nrecv++; }
    if (give[p]) { k->sproc[k->nsend] = p; k->sstart[k->nsend+1] = k->sstart[k->nsend] + give[p]; k->nsend++; }
  }
  list = spTAlloc(int, k->sstart[k->nsend]);
  MPI_Alltoallv(A->gid, need, rd, MPI_INT, list, give, sd, MPI_INT, MPI_COMM_WORLD);
  for (i = 0; i < k->sstart[k->nsend]; i++) list[i] -= A->start[sp_rank];
  k->smap = list;
  k->sbuf = spTAlloc(double, k->sstart[k->nsend]);
  A->pkg = k;
  spFree(need);
  spFree(sd);
}
