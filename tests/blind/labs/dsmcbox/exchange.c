#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "dsmc.h"

/* split off the particles that left; returns the number, moved to out */
static long take_out(box *b, int side, particle *out, long max)
{
    long m = 0, keep = 0;
    const double hi = b->x0 + b->lx;
    for (long q = 0; q < b->n; q++) {
        const double x = b->p[q].x[0];
        int gone = side < 0 ? x < b->x0 : x >= hi;
        if (gone && m < max)
            out[m++] = b->p[q];
        else
            b->p[keep++] = b->p[q];
    }
    b->n = keep;
    return m;
}

static void send_packed(box *b, int to, int from, particle *out, long m)
{
    int ns = (int)m, nr = 0;
    MPI_Sendrecv(&ns, 1, MPI_INT, to, 1, &nr, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (b->n + nr > b->cap)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Sendrecv(out, ns * (int)sizeof(particle), MPI_BYTE, to, 2, b->p + b->n, nr * (int)sizeof(particle), MPI_BYTE, from, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    b->n += nr;
}

/* outflow of the last rank comes back at the inlet of the first */
static void recycle(box *b, particle *out, long m)
{
    const double len = b->lx * b->np;
    if (b->rank == b->np - 1) {
        MPI_Send(&m, 1, MPI_LONG, 0, 5, MPI_COMM_WORLD);
        for (long q = 0; q < m; q++) {
            out[q].x[0] -= len;
            MPI_Send(&out[q], (int)sizeof(particle), MPI_BYTE, 0, 6, MPI_COMM_WORLD);
        }
    } else if (b->rank == 0) {
        long k = 0;
        int there = 0;
        while (!there) {
            MPI_Iprobe(b->np - 1, 5, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
            if (!there)
                usleep(200);
        }
        MPI_Recv(&k, 1, MPI_LONG, b->np - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (long q = 0; q < k; q++)
            MPI_Recv(&b->p[b->n++], (int)sizeof(particle), MPI_BYTE, b->np - 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

void migrate(box *b)
{
    const long max = b->n / 4 + 16;
    particle *l = malloc(max * sizeof *l), *r = malloc(max * sizeof *r);
    long ml = take_out(b, -1, l, max), mr = take_out(b, +1, r, max);
    int last = b->rank == b->np - 1;
    if (b->rank == 0)
        for (long q = 0; q < ml; q++) {
            l[q].x[0] = 2.0 * b->x0 - l[q].x[0];
            l[q].v[0] = -l[q].v[0];
            b->p[b->n++] = l[q];
        }
    send_packed(b, b->left, b->right, l, b->rank == 0 ? 0 : ml);
    send_packed(b, b->right, b->left, r, last ? 0 : mr);
    MPI_Barrier(MPI_COMM_WORLD);
    if (b->np > 1)
        recycle(b, r, mr);
    else
        for (long q = 0; q < mr; q++) {
            r[q].x[0] -= b->lx;
            b->p[b->n++] = r[q];
        }
    free(l);
    free(r);
}

/* ghost columns in x of a [k][j][i] grid */
void ghost_x(box *b, double ***g)
{
    const int m = b->ny * b->nz, nx = b->nx;
    double *s = malloc(4 * (size_t)m * sizeof *s), *r = s + 2 * (size_t)m;
    MPI_Request q[4];
    MPI_Irecv(r, m, MPI_DOUBLE, b->left, 31, MPI_COMM_WORLD, &q[0]);
    MPI_Irecv(r + m, m, MPI_DOUBLE, b->right, 32, MPI_COMM_WORLD, &q[1]);
    for (int k = 1, t = 0; k <= b->nz; k++)
        for (int j = 1; j <= b->ny; j++, t++) {
            s[t] = g[k][j][nx];
            s[t + m] = g[k][j][1];
        }
    MPI_Isend(s, m, MPI_DOUBLE, b->right, 31, MPI_COMM_WORLD, &q[2]);
    MPI_Isend(s + m, m, MPI_DOUBLE, b->left, 32, MPI_COMM_WORLD, &q[3]);
    MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
    for (int k = 1, t = 0; k <= b->nz; k++)
        for (int j = 1; j <= b->ny; j++, t++) {
            g[k][j][0] = b->left == MPI_PROC_NULL ? g[k][j][1] : r[t];
            g[k][j][nx + 1] = b->right == MPI_PROC_NULL ? g[k][j][nx] : r[t + m];
        }
    free(s);
}

void report_load(box *b, int step)
{
    long mine[2] = {b->n, -b->n}, top[2];
    MPI_Reduce(mine, top, 2, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (b->rank == 0 && top[0] > -2 * top[1] + 1000 && step % 100 == 0)
        printf("# step %d: load between %ld and %ld\n", step, -top[1], top[0]);
}
