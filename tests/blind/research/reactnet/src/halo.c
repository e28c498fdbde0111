#include "reactnet.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* split-phase exchange of one row-pointer field */
void halo_begin(struct block *b, double **f, struct halo *h)
{
    const int nx = b->nx, ny = b->ny;
    h->f = f;
    h->sb = b->colbuf;
    h->rb = b->colbuf + 2 * (ny + 2);
    for (int j = 0; j < ny; j++) {
        h->sb[j] = f[j + 1][1];
        h->sb[ny + 2 + j] = f[j + 1][nx];
    }
    MPI_Irecv(f[0] + 1, nx, MPI_DOUBLE, b->down, 10, b->cart, &h->rq[0]);
    MPI_Irecv(f[ny + 1] + 1, nx, MPI_DOUBLE, b->up, 11, b->cart, &h->rq[1]);
    MPI_Irecv(h->rb, ny, MPI_DOUBLE, b->left, 12, b->cart, &h->rq[2]);
    MPI_Irecv(h->rb + ny + 2, ny, MPI_DOUBLE, b->right, 13, b->cart, &h->rq[3]);
    MPI_Isend(f[ny] + 1, nx, MPI_DOUBLE, b->up, 10, b->cart, &h->rq[4]);
    MPI_Isend(f[1] + 1, nx, MPI_DOUBLE, b->down, 11, b->cart, &h->rq[5]);
    MPI_Isend(h->sb + ny + 2, ny, MPI_DOUBLE, b->right, 12, b->cart, &h->rq[6]);
    MPI_Isend(h->sb, ny, MPI_DOUBLE, b->left, 13, b->cart, &h->rq[7]);
}

void halo_end(struct block *b, struct halo *h)
{
    const int ny = b->ny;
    MPI_Waitall(8, h->rq, MPI_STATUSES_IGNORE);
    for (int j = 0; j < ny; j++) {
        if (b->left != MPI_PROC_NULL) h->f[j + 1][0] = h->rb[j];
        if (b->right != MPI_PROC_NULL) h->f[j + 1][b->nx + 1] = h->rb[ny + 2 + j];
    }
}

/* ghost layers of all species */
void halo_conc(struct block *b)
{
    static MPI_Datatype col = MPI_DATATYPE_NULL;
    const int nx = b->nx, ny = b->ny;
    if (col == MPI_DATATYPE_NULL) {
        MPI_Type_vector(ny, 1, b->pitch, MPI_DOUBLE, &col);
        MPI_Type_commit(&col);
    }
    for (int s = 0; s < b->ns; s++) {
        double *q = b->c + s * b->plane;
        MPI_Request rq[8];
        MPI_Irecv(q + 1, nx, MPI_DOUBLE, b->down, 20, b->cart, &rq[0]);
        MPI_Irecv(q + (size_t)(ny + 1) * b->pitch + 1, nx, MPI_DOUBLE, b->up, 21, b->cart, &rq[1]);
        MPI_Irecv(q + b->pitch, 1, col, b->left, 22, b->cart, &rq[2]);
        MPI_Irecv(q + b->pitch + nx + 1, 1, col, b->right, 23, b->cart, &rq[3]);
        MPI_Isend(q + (size_t)ny * b->pitch + 1, nx, MPI_DOUBLE, b->up, 20, b->cart, &rq[4]);
        MPI_Isend(q + b->pitch + 1, nx, MPI_DOUBLE, b->down, 21, b->cart, &rq[5]);
        MPI_Isend(q + b->pitch + nx, 1, col, b->right, 22, b->cart, &rq[6]);
        MPI_Isend(q + b->pitch + 1, 1, col, b->left, 23, b->cart, &rq[7]);
        MPI_Waitall(8, rq, MPI_STATUSES_IGNORE);
    }
}

/* light comes from the top; absorbed by species 0 on the way down */
void shade(struct block *b, double sigma)
{
    double *tau = b->rowbuf;
    memset(tau, 0, b->pitch * sizeof *tau);
    MPI_Recv(tau, b->nx + 2, MPI_DOUBLE, b->up, 40, b->cart, MPI_STATUS_IGNORE);
    for (int j = b->ny; j >= 1; j--) {
        const double *c0 = &b->c[IDX(b, 0, j, 0)];
        for (int i = 1; i <= b->nx; i++) {
            tau[i] += sigma * c0[i] * b->dy;
            b->phot[j][i] = exp(-tau[i]);
        }
    }
    MPI_Send(tau, b->nx + 2, MPI_DOUBLE, b->down, 40, b->cart);
}
