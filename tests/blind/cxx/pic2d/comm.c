#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "pic.h"

int myrank, nprocs, left, right;

void comm_init(int *argc, char ***argv)
{
    int prov;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &prov);
    MPI_Comm_rank(MPI_COMM_WORLD, &myrank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    left = (myrank + nprocs - 1) % nprocs;
    right = (myrank + 1) % nprocs;
}

/* charge that fell on the guard nodes goes to its owner */
void guard_add(double *a)
{
    static double *b;
    int j;
    if (!b) b = malloc(LDY * sizeof(double));
    MPI_Sendrecv(&a[ND(nx, -1)], LDY, MPI_DOUBLE, right, 1, b, LDY, MPI_DOUBLE, left, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (j = -1; j < ny + 2; j++) a[ND(0, j)] += b[j + 1];
    for (j = -1; j < ny + 2; j++) a[ND(nx, j)] = 0.0;
}

void guard_copy(double *a)
{
    MPI_Request r[4];
    MPI_Irecv(&a[ND(-1, -1)], LDY, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&a[ND(nx, -1)], LDY, MPI_DOUBLE, right, 3, MPI_COMM_WORLD, &r[1]);
    MPI_Isend(&a[ND(nx - 1, -1)], LDY, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &r[2]);
    MPI_Isend(&a[ND(0, -1)], LDY, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &r[3]);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
}

/* value by value: the old machine wanted it so */
void guard_copy_rows(double *a, int ncopies)
{
    int j, c;
    for (c = 0; c < ncopies; c++)
        for (j = 0; j <= ny; j++) {
            MPI_Sendrecv(&a[ND(nx - 1, j)], 1, MPI_DOUBLE, right, 4, &a[ND(-1, j)], 1, MPI_DOUBLE, left, 4,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Sendrecv(&a[ND(0, j)], 1, MPI_DOUBLE, left, 5, &a[ND(nx, j)], 1, MPI_DOUBLE, right, 5,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
}

static int take(Species *s, int to, int from, const Particle *out, int nout, int tag)
{
    MPI_Status st;
    int n = 0, flag = 0;
    MPI_Request rq;
    MPI_Isend((void *)out, nout * (int)sizeof(Particle), MPI_BYTE, to, tag, MPI_COMM_WORLD, &rq);
    while (!flag) {
        MPI_Iprobe(from, tag, MPI_COMM_WORLD, &flag, &st);
        if (!flag) usleep(100);
    }
    MPI_Get_count(&st, MPI_BYTE, &n);
    n /= (int)sizeof(Particle);
    if (s->n + n > s->max) MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Recv(s->p + s->n, n * (int)sizeof(Particle), MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    s->n += n;
    MPI_Wait(&rq, MPI_STATUS_IGNORE);
    return n;
}

void send_particles(Species *s)
{
    static Particle *out[2];
    static int cap;
    int k, keep = 0, no[2] = {0, 0};
    if (cap < s->max) {
        cap = s->max;
        out[0] = realloc(out[0], cap * sizeof(Particle));
        out[1] = realloc(out[1], cap * sizeof(Particle));
    }
    for (k = 0; k < s->n; k++) {
        Particle *p = s->p + k;
        if (p->x < 0) {
            out[0][no[0]] = *p;
            out[0][no[0]++].x += nx;
        } else if (p->x >= nx) {
            out[1][no[1]] = *p;
            out[1][no[1]++].x -= nx;
        } else {
            if (keep != k) s->p[keep] = *p;
            keep++;
        }
    }
    s->n = keep;
    take(s, left, right, out[0], no[0], 11);
    take(s, right, left, out[1], no[1], 12);
}

double all_sum(double x)
{
    double y;
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return y;
}

double all_max(double x)
{
    double y;
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return y;
}

void gather_loads(int n, int *loads)
{
    MPI_Allgather(&n, 1, MPI_INT, loads, 1, MPI_INT, MPI_COMM_WORLD);
}

/* cumulative energy along x */
void log_energy(double e)
{
    double c = 0.0;
    if (myrank > 0) MPI_Recv(&c, 1, MPI_DOUBLE, myrank - 1, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    c += e;
    if (myrank + 1 < nprocs) MPI_Send(&c, 1, MPI_DOUBLE, myrank + 1, 21, MPI_COMM_WORLD);
}
