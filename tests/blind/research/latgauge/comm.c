#include "lattice.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NB(type) ((int)sizeof(type))
#define PUT(buf, n, to, tag, rq) MPI_Isend(buf, n, MPI_BYTE, to, tag, MPI_COMM_WORLD, rq)
#define GET(buf, n, from, tag, rq) MPI_Irecv(buf, n, MPI_BYTE, from, tag, MPI_COMM_WORLD, rq)

/* fill the ghost slabs of all four link fields */
void exchange_links(void)
{
    const int line = nx * ny;
    FORALLDIR(mu) {
        for (int z = 0; z < nz; z++) {
            MPI_Request rq[4];
            su3_matrix *u = links[mu] + z * line;
            GET(u, line * NB(su3_matrix), node_dn, 100 + z, &rq[0]);
            GET(u + volume + slab, line * NB(su3_matrix), node_up, 300 + z, &rq[1]);
            PUT(u + volume, line * NB(su3_matrix), node_up, 100 + z, &rq[2]);
            PUT(u + slab, line * NB(su3_matrix), node_dn, 300 + z, &rq[3]);
            MPI_Waitall(4, rq, MPI_STATUSES_IGNORE);
        }
    }
}

/* v is an extended field: ghost slab, local sites, ghost slab */
void start_gather(su3_vector *v, msg_tag *m)
{
    const int n = slab * NB(su3_vector);
    m->v = v;
    GET(v, n, node_dn, 11, &m->rq[0]);
    GET(v + slab + volume, n, node_up, 12, &m->rq[1]);
    PUT(v + volume, n, node_up, 11, &m->rq[2]);
    PUT(v + slab, n, node_dn, 12, &m->rq[3]);
}

void wait_gather(msg_tag *m)
{
    int done = 0;
    while (!done) {
        MPI_Testall(4, m->rq, &done, MPI_STATUSES_IGNORE);
        if (!done) usleep(20);
    }
}

/* ghost slabs of a scalar field */
void shift_ghosts(double *f)
{
    const int last = num_nodes - 1;
    if (num_nodes == 1) {
        memcpy(f, f + volume, slab * sizeof *f);
        memcpy(f + volume + slab, f + slab, slab * sizeof *f);
        return;
    }
    if (this_node > 0)
        MPI_Recv(f, slab, MPI_DOUBLE, node_dn, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(f + volume, slab, MPI_DOUBLE, node_up, 21, MPI_COMM_WORLD);
    if (this_node == 0) MPI_Recv(f, slab, MPI_DOUBLE, last, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(f + slab, slab, MPI_DOUBLE, node_dn, 22, f + volume + slab, slab, MPI_DOUBLE, node_up, 22,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* global sum, result on all nodes; summed in node order */
void g_doublesum(double *x)
{
    double w, s = *x;
    if (this_node != 0) {
        MPI_Send(x, 1, MPI_DOUBLE, 0, 31, MPI_COMM_WORLD);
        MPI_Recv(x, 1, MPI_DOUBLE, 0, 32, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    for (int n = 1; n < num_nodes; n++) {
        MPI_Recv(&w, 1, MPI_DOUBLE, n, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        s += w;
    }
    for (int n = 1; n < num_nodes; n++) MPI_Send(&s, 1, MPI_DOUBLE, n, 32, MPI_COMM_WORLD);
    *x = s;
}

/* file lives on node 0's disk */
void save_lattice(const char *name)
{
    FILE *fp = NULL;
    NODE0 {
        for (int k = 0; k < 5 && !(fp = fopen(name, "wb")); k++) sleep(1);
        if (!fp) MPI_Abort(MPI_COMM_WORLD, 3);
    }
    su3_matrix *buf = malloc((size_t)volume * sizeof *buf);
    for (int n = 0; n < num_nodes; n++)
        FORALLDIR(mu) {
            if (n == this_node) memcpy(buf, links[mu] + slab, (size_t)volume * sizeof *buf);
            if (n && n == this_node) MPI_Send(buf, volume * NB(su3_matrix), MPI_BYTE, 0, 41, MPI_COMM_WORLD);
            if (n && this_node == 0)
                MPI_Recv(buf, volume * NB(su3_matrix), MPI_BYTE, n, 41, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            NODE0 fwrite(buf, sizeof *buf, volume, fp);
        }
    if (fp) fclose(fp);
    free(buf);
}
