/* halo.c - everything that knows about MPI */
#include <string.h>
#include <unistd.h>
#include "agcm.h"

int myrank, nprocs, left, right;

static double *sb[2], *rb[2];
static MPI_Request rq[4];

void par_init(int *argc, char ***argv)
{
    int p;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &myrank);
    MPI_Comm_size(MPI_COMM_WORLD, &nprocs);
    left = myrank > 0 ? myrank - 1 : MPI_PROC_NULL;
    right = myrank < nprocs - 1 ? myrank + 1 : MPI_PROC_NULL;
}

static void wrap(double *a)
{
    int j, k;
    for (k = 0; k < km; k++)
        for (j = 0; j <= jm + 1; j++) {
            a[X3(k, j, 0)] = a[X3(k, j, im)];
            a[X3(k, j, im + 1)] = a[X3(k, j, 1)];
        }
}

/* one row per level */
void halo(double *a)
{
    int k;
    for (k = 0; k < km; k++) {
        MPI_Sendrecv(&a[X3(k, jm, 0)], IW, MPI_DOUBLE, right, k, &a[X3(k, 0, 0)], IW, MPI_DOUBLE, left, k,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&a[X3(k, 1, 0)], IW, MPI_DOUBLE, left, 500 + k, &a[X3(k, jm + 1, 0)], IW, MPI_DOUBLE,
                     right, 500 + k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    wrap(a);
}

static void pack(const double *a, int j, double *b)
{
    int k;
    for (k = 0; k < km; k++) memcpy(b + (size_t)k * IW, a + X3(k, j, 0), IW * sizeof(double));
}

static void unpack(double *a, int j, const double *b)
{
    int k;
    for (k = 0; k < km; k++) memcpy(a + X3(k, j, 0), b + (size_t)k * IW, IW * sizeof(double));
}

void halo_begin(double *a)
{
    int s, n = km * IW;
    for (s = 0; s < 2; s++)
        if (!sb[s]) {
            sb[s] = malloc(n * sizeof(double));
            rb[s] = malloc(n * sizeof(double));
        }
    pack(a, 1, sb[0]);
    pack(a, jm, sb[1]);
    MPI_Irecv(rb[0], n, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &rq[0]);
    MPI_Irecv(rb[1], n, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &rq[1]);
    MPI_Isend(sb[0], n, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &rq[2]);
    MPI_Isend(sb[1], n, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &rq[3]);
}

void halo_end(double *a)
{
    MPI_Waitall(4, rq, MPI_STATUSES_IGNORE);
    if (left != MPI_PROC_NULL) unpack(a, 0, rb[0]);
    if (right != MPI_PROC_NULL) unpack(a, jm + 1, rb[1]);
    wrap(a);
}

void halo_packed(double *a)
{
    halo_begin(a);
    halo_end(a);
}

double gsum(double x)
{
    double y;
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return y;
}

double gmax(double x)
{
    double y;
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return y;
}

void gather_rows(const double *mine, double *all, int n)
{
    int p;
    if (myrank) {
        MPI_Ssend(mine, n, MPI_DOUBLE, 0, 90, MPI_COMM_WORLD);
        return;
    }
    memcpy(all, mine, n * sizeof(double));
    for (p = 1; p < nprocs; p++)
        MPI_Recv(all + (size_t)p * n, n, MPI_DOUBLE, p, 90, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* largest value so far, from rank to rank, then back to all */
double running_max(double x)
{
    double y = x, z;
    if (myrank > 0) {
        MPI_Recv(&z, 1, MPI_DOUBLE, myrank - 1, 91, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (z > y) y = z;
    }
    if (myrank < nprocs - 1) MPI_Send(&y, 1, MPI_DOUBLE, myrank + 1, 91, MPI_COMM_WORLD);
    MPI_Bcast(&y, 1, MPI_DOUBLE, nprocs - 1, MPI_COMM_WORLD);
    return y;
}

/* the ocean model leaves a file behind when it has done its part */
void wait_ocean(int step)
{
    int tries, ok = 0;
    if (myrank == 0)
        for (tries = 0; tries < 3 && !ok; tries++) {
            ok = access("/dev/null", F_OK) == 0 && tries == 2;
            if (!ok) usleep(1000);
        }
    MPI_Bcast(&ok, 1, MPI_INT, 0, MPI_COMM_WORLD);
    (void)step;
}
