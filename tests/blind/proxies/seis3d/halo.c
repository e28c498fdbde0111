#include <stdlib.h>
#include <string.h>
#include "seis.h"

void topo_init(topo_t *t, grid_t *g)
{
    int dims[2] = {0,0}, per[2] = {0,0}, c[2];
    MPI_Comm_size(MPI_COMM_WORLD, &t->size);
    MPI_Dims_create(t->size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, per, 0, &t->comm);
    MPI_Comm_rank(t->comm, &t->rank);
    MPI_Cart_coords(t->comm, t->rank, 2, c);
    MPI_Cart_shift(t->comm, 0, 1, &t->west, &t->east);
    MPI_Cart_shift(t->comm, 1, 1, &t->south, &t->north);
    t->px = dims[0]; t->py = dims[1]; t->cx = c[0]; t->cy = c[1];
    g->nx = g->NX/t->px; g->gx0 = c[0]*g->nx;
    g->ny = g->NY/t->py; g->gy0 = c[1]*g->ny;
    size_t m = g->nx > g->ny ? g->nx : g->ny;
    size_t nb = 3*(m + 2*PAD)*PAD*(size_t)(g->nz + 2*PAD);
    for (int b = 0; b < 4; b++) {
        t->sb[b] = malloc(nb*sizeof(float));
        t->rb[b] = malloc(nb*sizeof(float));
    }
}

void topo_free(topo_t *t)
{
    for (int b = 0; b < 4; b++) { free(t->sb[b]); free(t->rb[b]); }
    MPI_Comm_free(&t->comm);
}

/* pack PAD rows j0.. of one field; rows are contiguous in k */
static size_t pack_y(const grid_t *g, const float *f, int j0, float *buf)
{
    size_t p = 0;
    for (int i = 0; i < g->mx; i++)
        for (int j = j0; j < j0 + PAD; j++, p += g->mz)
            memcpy(buf + p, f + IX(g,i,j,0), g->mz*sizeof(float));
    return p;
}

static size_t unpack_y(const grid_t *g, float *f, int j0, const float *buf)
{
    size_t p = 0;
    for (int i = 0; i < g->mx; i++)
        for (int j = j0; j < j0 + PAD; j++, p += g->mz)
            memcpy(f + IX(g,i,j,0), buf + p, g->mz*sizeof(float));
    return p;
}

/* velocity: everything packed, one message per neighbour in y, planes in x */
void exchange_vel(grid_t *g, topo_t *t)
{
    float *f[3] = { g->vx, g->vy, g->vz };
    MPI_Request rq[16];
    int nr = 0;
    size_t pl = (size_t)PAD*g->my*g->mz, ps = 0, pn = 0;

    for (int q = 0; q < 3; q++) {
        MPI_Irecv(f[q], pl, MPI_FLOAT, t->west, q, t->comm, &rq[nr++]);
        MPI_Irecv(f[q] + IX(g,g->nx+PAD,0,0), pl, MPI_FLOAT, t->east, q+8, t->comm, &rq[nr++]);
        MPI_Isend(f[q] + IX(g,PAD,0,0), pl, MPI_FLOAT, t->west, q+8, t->comm, &rq[nr++]);
        MPI_Isend(f[q] + IX(g,g->nx,0,0), pl, MPI_FLOAT, t->east, q, t->comm, &rq[nr++]);
    }
    MPI_Waitall(nr, rq, MPI_STATUSES_IGNORE);
    for (int q = 0; q < 3; q++) {
        ps += pack_y(g, f[q], PAD, t->sb[0] + ps);
        pn += pack_y(g, f[q], g->ny, t->sb[1] + pn);
    }
    nr = 0;
    MPI_Irecv(t->rb[0], ps, MPI_FLOAT, t->south, 21, t->comm, &rq[nr++]);
    MPI_Irecv(t->rb[1], pn, MPI_FLOAT, t->north, 22, t->comm, &rq[nr++]);
    MPI_Isend(t->sb[0], ps, MPI_FLOAT, t->south, 22, t->comm, &rq[nr++]);
    MPI_Isend(t->sb[1], pn, MPI_FLOAT, t->north, 21, t->comm, &rq[nr++]);
    MPI_Waitall(nr, rq, MPI_STATUSES_IGNORE);
    size_t us = 0, un = 0;
    for (int q = 0; q < 3; q++) {
        if (t->south != MPI_PROC_NULL) us += unpack_y(g, f[q], 0, t->rb[0] + us);
        if (t->north != MPI_PROC_NULL) un += unpack_y(g, f[q], g->ny+PAD, t->rb[1] + un);
    }
}

void exchange_normal_stress(grid_t *g, topo_t *t)
{
    float *f[3] = { g->txx, g->tyy, g->tzz };
    size_t pl = (size_t)PAD*g->my*g->mz;

    for (int q = 0; q < 3; q++) {
        /* fill from the west, then pass on to the east */
        if (t->west != MPI_PROC_NULL)
            MPI_Recv(f[q], pl, MPI_FLOAT, t->west, 40+q, t->comm, MPI_STATUS_IGNORE);
        if (t->east != MPI_PROC_NULL)
            MPI_Send(f[q] + IX(g,g->nx,0,0), pl, MPI_FLOAT, t->east, 40+q, t->comm);
        if (t->east != MPI_PROC_NULL)
            MPI_Recv(f[q] + IX(g,g->nx+PAD,0,0), pl, MPI_FLOAT, t->east, 50+q, t->comm, MPI_STATUS_IGNORE);
        if (t->west != MPI_PROC_NULL)
            MPI_Send(f[q] + IX(g,PAD,0,0), pl, MPI_FLOAT, t->west, 50+q, t->comm);
    }
    for (int q = 0; q < 3; q++) {
        size_t n = pack_y(g, f[q], PAD, t->sb[0]);
        MPI_Sendrecv(t->sb[0], n, MPI_FLOAT, t->south, 60, t->rb[1], n, MPI_FLOAT, t->north, 60, t->comm, MPI_STATUS_IGNORE);
        if (t->north != MPI_PROC_NULL) unpack_y(g, f[q], g->ny+PAD, t->rb[1]);
        n = pack_y(g, f[q], g->ny, t->sb[0]);
        MPI_Sendrecv(t->sb[0], n, MPI_FLOAT, t->north, 61, t->rb[1], n, MPI_FLOAT, t->south, 61, t->comm, MPI_STATUS_IGNORE);
        if (t->south != MPI_PROC_NULL) unpack_y(g, f[q], 0, t->rb[1]);
    }
}

void exchange_shear_stress(grid_t *g, topo_t *t)
{
    float *f[3] = { g->txy, g->txz, g->tyz };
    size_t pl = (size_t)PAD*g->my*g->mz;
    MPI_Status st;

    for (int q = 0; q < 3; q++) {
        MPI_Sendrecv(f[q] + IX(g,PAD,0,0), pl, MPI_FLOAT, t->west, 70, f[q] + IX(g,g->nx+PAD,0,0), pl, MPI_FLOAT, t->east, 70, t->comm, &st);
        MPI_Sendrecv(f[q] + IX(g,g->nx,0,0), pl, MPI_FLOAT, t->east, 71, f[q], pl, MPI_FLOAT, t->west, 71, t->comm, &st);
        /* rows to north and south */
        for (int i = 0; i < g->mx; i++)
            for (int d = 0; d < PAD; d++) {
                MPI_Sendrecv(f[q] + IX(g,i,PAD+d,0), g->mz, MPI_FLOAT, t->south, 80+d,
                             f[q] + IX(g,i,g->ny+PAD+d,0), g->mz, MPI_FLOAT, t->north, 80+d, t->comm, &st);
                MPI_Sendrecv(f[q] + IX(g,i,g->ny+d,0), g->mz, MPI_FLOAT, t->north, 90+d,
                             f[q] + IX(g,i,d,0), g->mz, MPI_FLOAT, t->south, 90+d, t->comm, &st);
            }
    }
}
