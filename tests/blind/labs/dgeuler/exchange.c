#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "dgeuler.h"

/* own traces; blocks inside the rank are served by copying */
void traces_pack(void)
{
    for (int m = 0; m < nblk; m++) {
        block_t *b = blk + m;
        for (int v = 0; v < NV; v++)
            for (int ey = 0; ey < b->ney; ey++)
                for (int j = 0; j < N; j++) {
                    b->sb[0][(v * b->ney + ey) * N + j] = b->q[IX(b, v, ELEM(b, 0, ey), j * N)];
                    b->sb[1][(v * b->ney + ey) * N + j] = b->q[IX(b, v, ELEM(b, b->nex - 1, ey), j * N + N - 1)];
                }
    }
    for (int m = 0; m + 1 < nblk; m++) {
        size_t n = (size_t)NV * blk[m].ney * N * sizeof(double);
        memcpy(blk[m].gh[1], blk[m + 1].sb[0], n);
        memcpy(blk[m + 1].gh[0], blk[m].sb[1], n);
    }
}

int traces_post(MPI_Request *req)
{
    block_t *a = blk, *z = blk + nblk - 1;
    int nr = 0;

    for (int v = 0; v < NV; v++)
        for (int ey = 0; ey < a->ney; ey++) {
            int o = (v * a->ney + ey) * N, tag = v * a->ney + ey;
            MPI_Irecv(a->gh[0] + o, N, MPI_DOUBLE, left, 2 * tag, MPI_COMM_WORLD, req + nr++);
            MPI_Irecv(z->gh[1] + o, N, MPI_DOUBLE, right, 2 * tag + 1, MPI_COMM_WORLD, req + nr++);
            MPI_Isend(z->sb[1] + o, N, MPI_DOUBLE, right, 2 * tag, MPI_COMM_WORLD, req + nr++);
            MPI_Isend(a->sb[0] + o, N, MPI_DOUBLE, left, 2 * tag + 1, MPI_COMM_WORLD, req + nr++);
        }
    return nr;
}

/* ghost columns of the averages */
void exchange_bar(void)
{
    block_t *a = blk, *z = blk + nblk - 1;
    int ney = a->ney, n = NV * ney;
    double *s = malloc(4 * n * sizeof(double)), *r = s + n, *s2 = r + n, *r2 = s2 + n;

    for (int m = 0; m < nblk; m++)
        for (int v = 0; v < NV; v++)
            for (int ey = 0; ey < ney; ey++) {
                if (m) blk[m].bar[v][ey][-1] = blk[m - 1].bar[v][ey][blk[m - 1].nex - 1];
                if (m + 1 < nblk) blk[m].bar[v][ey][blk[m].nex] = blk[m + 1].bar[v][ey][0];
                if (m == 0) s2[v * ney + ey] = a->bar[v][ey][0];
                if (m == nblk - 1) s[v * ney + ey] = z->bar[v][ey][z->nex - 1];
            }
    if (nrank == 1) {
        memcpy(r, s, n * sizeof(double));
    } else if (rank == 0) {
        MPI_Send(s, n, MPI_DOUBLE, right, 901, MPI_COMM_WORLD);
        MPI_Recv(r, n, MPI_DOUBLE, left, 901, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(r, n, MPI_DOUBLE, left, 901, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(s, n, MPI_DOUBLE, right, 901, MPI_COMM_WORLD);
    }
    MPI_Sendrecv(s2, n, MPI_DOUBLE, left, 902, r2, n, MPI_DOUBLE, right, 902, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int v = 0; v < NV; v++)
        for (int ey = 0; ey < ney; ey++) {
            a->bar[v][ey][-1] = r[v * ney + ey];
            z->bar[v][ey][z->nex] = r2[v * ney + ey];
        }
    free(s);
}

void wait_nap(MPI_Request *req, int n)
{
    int done = 0;
    do {
        MPI_Testall(n, req, &done, MPI_STATUSES_IGNORE);
        if (!done) usleep(200);
    } while (!done);
}
