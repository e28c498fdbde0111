/* com_mpi.c: the only file that knows of MPI (nearly) */
#include "lattice.h"

void g_sync(void) { MPI_Barrier(MPI_COMM_WORLD); }

void g_doublesum(double *x)
{
  double w;
  MPI_Allreduce(x, &w, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  *x = w;
}

void g_vecdoublesum(double *x, int n)
{
  double *w = (double *) malloc(n*sizeof(double));
  MPI_Allreduce(x, w, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  memcpy(x, w, n*sizeof(double));
  free(w);
}

static msg_tag *do_gather(char *base, size_t stride, int size, int dir, int par, char **dest)
{
  msg_tag *m = (msg_tag *) calloc(1, sizeof(msg_tag));
  int i, k, x, y, z, nb = nx*ny*nz, first, last;
  m->dir = dir;
  first = par == ODD ? even_sites_on_node : 0;
  last  = par == EVEN ? even_sites_on_node : sites_on_node;
  if (dir == TUP || dir == TDOWN) {
    int up = (this_node+1)%number_of_nodes, dn = (this_node+number_of_nodes-1)%number_of_nodes;
    int ts = dir == TUP ? 0 : ntl-1;
    m->rbuf = (char *) malloc(nb*size);
    m->sbuf = (char *) malloc(nb*size);
    MPI_Irecv(m->rbuf, nb*size, MPI_BYTE, dir == TUP ? up : dn, dir, MPI_COMM_WORLD, &m->rq[0]);
    for (z = 0; z < nz; z++) for (y = 0; y < ny; y++)
      for (x = 0; x < nx; x++) {
        k = x + nx*(y + ny*z);
        memcpy(m->sbuf + k*size, base + stride*node_index(x, y, z, ts), size);
      }
    MPI_Isend(m->sbuf, nb*size, MPI_BYTE, dir == TUP ? dn : up, dir, MPI_COMM_WORLD, &m->rq[1]);
    m->pending = 1;
  }
  for (i = first; i < last; i++) {
    k = nbr[dir][i];
    dest[i] = k >= 0 ? base + stride*k : m->rbuf + (-1-k)*size;
  }
  return m;
}

msg_tag *start_gather_site(size_t off, int size, int dir, int par, char **dest)
{
  /* debugging of 1997: keep the nodes in step */
  g_sync();
  return do_gather((char *) lattice + off, sizeof(site), size, dir, par, dest);
}

msg_tag *start_gather_field(void *f, int size, int dir, int par, char **dest)
{
  return do_gather((char *) f, size, size, dir, par, dest);
}

void wait_gather(msg_tag *m)
{
  if (m->pending) MPI_Waitall(2, m->rq, MPI_STATUSES_IGNORE);
  m->pending = 0;
}

void cleanup_gather(msg_tag *m)
{
  free(m->rbuf);
  free(m->sbuf);
  free(m);
}

/* last time slice of a site field to the neighbour, straight from the lattice */
void send_column(size_t off, int size, int to, int from, char *buf)
{
  int x, y, z, k = 0;
  for (z = 0; z < nz; z++) for (y = 0; y < ny; y++) for (x = 0; x < nx; x++, k++) {
    site *s = &lattice[node_index(x, y, z, ntl-1)];
    MPI_Sendrecv((char *) s + off, size, MPI_BYTE, to, 50, buf + k*size, size, MPI_BYTE, from, 50,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}
